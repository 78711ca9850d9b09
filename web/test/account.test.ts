import { describe, expect, it } from 'vitest'
import { base64url, bytes, decoded } from '../src/lib/account'
import { tableId } from '../src/lib/admin'
import { invitation, keepInvitation } from '../src/lib/invitation'

describe('WebAuthn in JSON', () => {
  it('turns bytes into text and back', () => {
    const data = Uint8Array.from([0, 1, 62, 63, 250, 251, 252, 253, 254, 255])
    expect(base64url(data.buffer)).toBe('AAE-P_r7_P3-_w')
    expect(bytes('AAE-P_r7_P3-_w')).toEqual(data)
    expect(bytes('')).toEqual(new Uint8Array())
  })

  it('decodes what is bytes in options, and nothing else', () => {
    const options = {
      challenge: 'AQI',
      rp: { id: 'localhost', name: 'Foxtray' },
      user: { id: 'Aw', name: 'Ana' },
      excludeCredentials: [{ id: 'BA', type: 'public-key' }],
    }
    expect(decoded(options)).toEqual({
      challenge: Uint8Array.from([1, 2]),
      rp: options.rp,
      user: { id: Uint8Array.from([3]), name: 'Ana' },
      excludeCredentials: [{ id: Uint8Array.from([4]), type: 'public-key' }],
      allowCredentials: undefined,
    })
    expect(decoded({ challenge: 'AQI', rpId: 'localhost' })).toMatchObject({ rpId: 'localhost' })
  })
})

describe('an invitation', () => {
  it('is kept until it is used, though storage may be forbidden', () => {
    expect(invitation()).toBe('')
    keepInvitation('abc')
    expect(invitation()).toBe('abc')
    keepInvitation('')
    expect(invitation()).toBe('')
  })
})

describe('a table for an admin', () => {
  it.each([
    ['Xy12', 'Xy12'],
    [' Xy12 ', 'Xy12'],
    ['https://games.example/t/Xy12?key=abc', 'Xy12'],
    ['http://localhost:8750/t/Xy12/#key=abc', 'Xy12'],
    ['', ''],
  ])('%j is %j', (text, id) => expect(tableId(text)).toBe(id))
})
