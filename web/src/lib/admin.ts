// What the admins of a server do; the host has named them.

import { request } from './api'
import type { AccountInfo, AccountList, AuditLog, InvitationMade, LinkMade, RegistrationInfo } from './wire'

export type Mode = RegistrationInfo['mode']
export const MODES: readonly Mode[] = ['open', 'invitation', 'closed']

const of = (player: string, rest = '') => `admin/players/${player}${rest}`

export const admin = {
  find: (text: string) => request<AccountList>('POST', 'admin/find', { body: { text } }),
  rename: (player: string, name: string) => request<AccountInfo>('PUT', of(player, '/name'), { body: { name } }),
  ban: (player: string, reason: string) => request<AccountInfo>('PUT', of(player, '/ban'), { body: { reason } }),
  unban: (player: string) => request<AccountInfo>('DELETE', of(player, '/ban')),
  remove: (player: string) => request<unknown>('DELETE', of(player)),
  link: (player: string) => request<LinkMade>('POST', of(player, '/link')),
  exportAddress: (player: string) => `/api/${of(player, '/export')}`,
  close: (table: string) => request<unknown>('DELETE', `admin/tables/${table}`),
  registration: () => request<RegistrationInfo>('GET', 'admin/registration'),
  setRegistration: (mode: Mode) =>
    request<RegistrationInfo>('PUT', 'admin/registration', { body: { mode } }),
  invite: (uses: number) => request<InvitationMade>('POST', 'admin/invitations', { body: { uses } }),
  log: (before?: number) =>
    request<AuditLog>(
      'GET',
      `admin/log${before === undefined ? '' : `?before=${before}`}`,
    ),
}

/** The id of a table from a link to it, or as it is. */
export function tableId(text: string): string {
  const last = text.trim().split('/t/').at(-1)!
  return last.split(/[?#]/)[0]!.replace(/\/+$/, '')
}
