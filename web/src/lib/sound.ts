// Short sounds, made here: no file is loaded.

export type Sound = 'roll' | 'mark' | 'bonus' | 'fox'

const LOUD = 0.12
let context: AudioContext | null = null

/** A tone that fades, from a moment on. */
function tone(audio: AudioContext, hertz: number, after: number, seconds: number, shape: OscillatorType): void {
  const start = audio.currentTime + after
  const gain = audio.createGain()
  gain.gain.setValueAtTime(LOUD, start)
  gain.gain.exponentialRampToValueAtTime(0.001, start + seconds)
  gain.connect(audio.destination)
  const source = new OscillatorNode(audio, { type: shape, frequency: hertz })
  source.connect(gain)
  source.start(start)
  source.stop(start + seconds)
}

/** A die that hits the table: a short noise. */
function knock(audio: AudioContext, after: number): void {
  const length = Math.round(audio.sampleRate * 0.04)
  const buffer = audio.createBuffer(1, length, audio.sampleRate)
  const data = buffer.getChannelData(0)
  for (let i = 0; i < length; i++) data[i] = (Math.random() * 2 - 1) * (1 - i / length) ** 3 * LOUD * 2
  const source = new AudioBufferSourceNode(audio, { buffer })
  const filter = new BiquadFilterNode(audio, { type: 'bandpass', frequency: 1400 + 900 * Math.random() })
  source.connect(filter).connect(audio.destination)
  source.start(audio.currentTime + after)
}

export function play(sound: Sound): void {
  context ??= new AudioContext()
  const audio = context
  void audio.resume()
  if (sound === 'roll') for (const after of [0, 0.05, 0.09, 0.16, 0.2]) knock(audio, after)
  else if (sound === 'mark') tone(audio, 260, 0, 0.09, 'triangle')
  else {
    const notes = sound === 'fox' ? [523, 659, 784] : [523, 698]
    notes.forEach((hertz, i) => tone(audio, hertz, i * 0.07, 0.15, 'sine'))
  }
}
