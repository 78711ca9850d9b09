// Bonuses fly from where they were earned to where they go: an action track, the foxes, an area, or the
// cell that they marked, from which the chain goes on.

import { readBonus, type GameEvent } from './game'

/** For a whole chain: the next one sets off when the one before is half there. */
const CHAIN_MS = 290
const MOST = 3

/** Where a bonus goes, told by what happened after it was earned. */
function goalOf(bonus: string, after: GameEvent[]): Element | null {
  const { kind, area, track } = readBonus(bonus)
  if (kind !== 'mark') return document.querySelector(kind === 'choice' ? '.act' : `[data-goal='${track ?? 'fox'}']`)
  const marked = after.find((event) => event.event === 'marked' && event.area === area)
  const cell = marked?.event === 'marked' && document.querySelector(`.middle [data-cell='${marked.cell}'] .cell`)
  return cell || document.querySelector(`.middle [data-area='${area}'] .title`)
}

/** A copy of a symbol that flies over the page and is gone. */
function spark(from: SVGGraphicsElement, goal: Element, fox: boolean, duration: number, delay: number): void {
  const [start, end] = [from.getBoundingClientRect(), goal.getBoundingClientRect()]
  const { x, y, width, height } = from.getBBox()
  const copy = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  copy.setAttribute('viewBox', `${x} ${y} ${width} ${height}`)
  copy.setAttribute('aria-hidden', 'true')
  const symbol = from.cloneNode(true) as Element
  symbol.classList.remove('won') // which is pale
  copy.append(symbol)
  copy.style.cssText = `position:fixed;z-index:20;pointer-events:none;left:${start.left}px;top:${start.top}px;width:${start.width}px;height:${start.height}px`
  const [dx, dy] = [
    end.left + end.width / 2 - start.left - start.width / 2,
    end.top + end.height / 2 - start.top - start.height / 2,
  ]
  const large = fox ? 2.4 : 1.5
  // The colours of a game are known inside its table only.
  document.querySelector('.playing')?.append(copy)
  const flight = copy.animate(
    [
      { transform: 'none' },
      { transform: `translate(${dx * 0.4}px, ${dy * 0.4 - 14}px) scale(${large})`, offset: 0.5 },
      { transform: `translate(${dx}px, ${dy}px) scale(0.8)`, opacity: 0.4 },
    ],
    { duration, delay, easing: 'ease-in-out', fill: 'backwards' },
  )
  flight.onfinish = flight.oncancel = () => copy.remove()
  if (goal instanceof SVGElement) return // a cell flashes by itself
  goal.animate([{}, { transform: `scale(${fox ? 1.35 : 1.15})` }, {}], {
    duration: duration / 2,
    delay: delay + duration / 2,
  })
}

/** Shows what one seat earned, by everything that just happened to it. */
export function fly(events: GameEvent[]): void {
  const flights = events.flatMap((event, i) => {
    if (event.event !== 'bonus_earned' || event.source === 'round') return []
    const from = document.querySelector<SVGGraphicsElement>(`.middle [data-where='${event.where}']`)
    const goal = goalOf(event.bonus, events.slice(i + 1))
    return from && goal ? [{ from, goal, fox: event.bonus === 'fox' }] : []
  }).slice(0, MOST)
  const duration = (2 * CHAIN_MS) / (flights.length + 1)
  flights.forEach(({ from, goal, fox }, i) => spark(from, goal, fox, duration, (i * duration) / 2))
}
