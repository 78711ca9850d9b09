// Where I am signed in, and how I come back: devices, a recovery code, passkeys.

import { request } from './api'
import type { LinkMade, PasskeyOptions, SignIns } from './wire'

export const account = {
  signIns: () => request<SignIns>('GET', 'me/devices'),
  signOut: (device: string) => request<SignIns>('DELETE', `me/devices/${device}`),
  link: () => request<LinkMade>('POST', 'me/link'),
  newCode: () => request<{ code: string; made: number }>('POST', 'me/recovery'),
  useCode: (code: string) => request<unknown>('POST', 'recover', { body: { code } }),
  removePasskey: (id: string) => request<SignIns>('DELETE', `me/passkeys/${id}`),
  async addPasskey(): Promise<SignIns> {
    const { options } = await request<PasskeyOptions>('POST', 'me/passkeys/options')
    const publicKey = decoded(options) as unknown as PublicKeyCredentialCreationOptions
    const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential
    return request<SignIns>('POST', 'me/passkeys', { body: { credential: encoded(made) } })
  },
  async usePasskey(): Promise<void> {
    const { options } = await request<PasskeyOptions>('POST', 'passkey/options')
    const publicKey = decoded(options) as unknown as PublicKeyCredentialRequestOptions
    const found = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential
    await request('POST', 'passkey', { body: { credential: encoded(found) } })
  },
}

/** Whether this browser has passkeys at this address; a number is no name that one can belong to. */
export function passkeysWork(): boolean {
  const named = /[a-z]/.test(location.hostname) && !location.hostname.includes(':')
  return window.isSecureContext && named && 'PublicKeyCredential' in window
}

// --- WebAuthn in JSON ---------------------------------------------------------------------------
// Browsers learn to do this by themselves (parseCreationOptionsFromJSON, toJSON), but not all have.

export function bytes(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replace(/-/g, '+').replace(/_/g, '/'))
  return Uint8Array.from(plain, (character) => character.charCodeAt(0))
}

export function base64url(data: ArrayBuffer): string {
  const plain = Array.from(new Uint8Array(data), (byte) => String.fromCharCode(byte)).join('')
  return btoa(plain).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '')
}

interface Identified {
  id: string
}

/** Options with bytes where JSON has text. */
export function decoded(options: Record<string, unknown>): Record<string, unknown> {
  const user = options.user as Identified | undefined
  const list = (name: string) =>
    (options[name] as Identified[] | undefined)?.map((one) => ({ ...one, id: bytes(one.id) }))
  return {
    ...options,
    challenge: bytes(options.challenge as string),
    ...(user && { user: { ...user, id: bytes(user.id) } }),
    excludeCredentials: list('excludeCredentials'),
    allowCredentials: list('allowCredentials'),
  }
}

/** A credential with text where the browser has bytes. */
function encoded(credential: PublicKeyCredential): Record<string, unknown> {
  const response: Record<string, string> = {}
  for (const name of ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle']) {
    const part = (credential.response as unknown as Record<string, unknown>)[name]
    if (part instanceof ArrayBuffer) response[name] = base64url(part)
  }
  return { id: credential.id, rawId: base64url(credential.rawId), type: credential.type, response }
}
