export function int(x: number): number
export function word(x: number): number
export function safe(x: number): number
export function shl(a: number, b: number): number
export function shr(a: number, b: number): number
export function shrWord(a: number, b: number): number
export function div(a: number, b: number): number
export function mod(a: number, b: number): number
export function put<T extends { set(other: T): void }>(row: T[], index: number, record: T): void
