// What the translated rules need beside JavaScript's own operators. Whatever the translator cannot
// prove is checked here when it runs: a number is right, or there is an error; never another number.


function refuse(what) {
  throw new RangeError(`the translated rules cannot compute ${what}`)
}

/** A number that must fit in 32 bits with a sign. */
export function int(x) {
  return x === (x | 0) ? x : refuse(`with ${x} as a whole number of 32 bits`)
}

/** A number that must fit in 32 bits without a sign. */
export function word(x) {
  return x === x >>> 0 ? x : refuse(`with ${x} as a word of 32 bits`)
}

/** A number that must be exact. */
export function safe(x) {
  return Number.isSafeInteger(x) ? x : refuse(`${x} exactly`)
}

/** a << b, where the result must fit in 32 bits with a sign. */
export function shl(a, b) {
  const shifted = a << b
  return b >= 0 && b < 32 && shifted >> b === a ? shifted : refuse(`${a} << ${b}`)
}

/** a >> b, as far as Python shifts. */
export function shr(a, b) {
  if (b < 0) refuse(`${a} >> ${b}`)
  return a >> (b < 31 ? b : 31)
}

/** a >> b for a word. */
export function shrWord(a, b) {
  if (b < 0) refuse(`${a} >> ${b}`)
  return b < 32 ? a >>> b : 0
}

/** a // b. */
export function div(a, b) {
  return b === 0 ? refuse(`${a} // 0`) : Math.floor(a / b)
}

/** a % b, with the sign of b. */
export function mod(a, b) {
  if (b === 0) refuse(`${a} % 0`)
  const rest = a % b
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest
}

/** Copy a record to a place in a row, which is made when it is first used. */
export function put(row, index, record) {
  ;(row[index] ??= new record.constructor()).set(record)
}
