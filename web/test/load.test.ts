import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { api, Refused } from '../src/lib/api'
import { load } from '../src/lib/load'

const silent = () => new Refused('offline', '', true)

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('window', new EventTarget())
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('loading', () => {
  it('asks again while there is no answer, and less and less often', async () => {
    const ask = vi.fn<() => Promise<string>>().mockRejectedValue(silent())
    const found = vi.fn()
    const again: boolean[] = []
    load(ask, found, (_, more) => again.push(more))
    await vi.advanceTimersByTimeAsync(10_000)
    const tries = ask.mock.calls.length
    expect(tries).toBeGreaterThan(3)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(ask.mock.calls.length - tries).toBeLessThan(3)
    ask.mockResolvedValue('here')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(found.mock.calls).toEqual([['here']])
    expect(new Set(again)).toEqual(new Set([true]))
    const asked = ask.mock.calls.length
    await vi.advanceTimersByTimeAsync(60_000)
    expect(ask).toHaveBeenCalledTimes(asked)
  })

  it('does not wait when the network is back', async () => {
    const ask = vi.fn<() => Promise<string>>().mockRejectedValueOnce(silent()).mockResolvedValue('here')
    const found = vi.fn()
    load(ask, found)
    await vi.advanceTimersByTimeAsync(0)
    window.dispatchEvent(new Event('online'))
    await vi.advanceTimersByTimeAsync(0)
    expect(found).toHaveBeenCalledWith('here')
    window.dispatchEvent(new Event('online'))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(ask).toHaveBeenCalledTimes(2)
  })

  it('takes a refusal for an answer', async () => {
    const ask = vi.fn().mockRejectedValue(new Refused('no_table', ''))
    const failed = vi.fn()
    load(ask, () => undefined, failed)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(ask).toHaveBeenCalledOnce()
    expect(failed).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'no_table' }), false)
  })

  it('says nothing more to somebody who went on', async () => {
    let answer: (text: string) => void = () => undefined
    const told = vi.fn()
    load(() => new Promise<string>((resolve) => (answer = resolve)), told, told)()
    answer('late')
    const ask = vi.fn().mockRejectedValue(silent())
    const stop = load(ask, told)
    await vi.advanceTimersByTimeAsync(0)
    stop()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(ask).toHaveBeenCalledOnce()
    expect(told).not.toHaveBeenCalled()
  })
})

describe('requests', () => {
  const answer = (status: number, body: object) =>
    vi.stubGlobal('fetch', async () => Response.json(body, { status }))
  const why = () => api.me().catch((error: Refused) => [error.code, error.passing])

  it('tells a failing line or server from a refusal', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError()))
    expect(await why()).toEqual(['offline', true])
    answer(502, {})
    expect(await why()).toEqual(['internal', true])
    answer(429, { code: 'too_many' })
    expect(await why()).toEqual(['too_many', true])
    answer(429, { code: 'too_many_tables' })
    expect(await why()).toEqual(['too_many_tables', false])
    answer(404, { code: 'no_table' })
    expect(await why()).toEqual(['no_table', false])
  })
})
