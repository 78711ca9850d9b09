// Why something is refused on this device; the sentences are those of the catalogue.

import type { LocalCode } from '../lib/api'
import type { RefusalCode } from '../lib/wire'

export class LocalRefusal extends Error {
  constructor(
    readonly code: RefusalCode | LocalCode,
    /** More than the sentence of the code says, such as the line of a record. */
    readonly detail = '',
  ) {
    super(detail || code)
  }
}
