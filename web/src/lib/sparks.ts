// Bonuses fly from where they were earned to where they go: an action track, the foxes, an area.

import { readBonus } from './game'
import type { BonusEarned } from './wire'

const FLIGHT_MS = 250
const APART_MS = 25

function goalOf(bonus: string): Element | null {
  const { kind, area, track } = readBonus(bonus)
  if (kind === 'mark') return document.querySelector(`.middle [data-area='${area}'] .title`)
  return document.querySelector(kind === 'choice' ? '.act' : `[data-goal='${track ?? 'fox'}']`)
}

/** A copy of a symbol that flies over the page and is gone. */
function spark(from: SVGGraphicsElement, goal: Element, fox: boolean, delay: number): void {
  const [start, end] = [from.getBoundingClientRect(), goal.getBoundingClientRect()]
  const { x, y, width, height } = from.getBBox()
  const copy = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  copy.setAttribute('viewBox', `${x} ${y} ${width} ${height}`)
  copy.setAttribute('aria-hidden', 'true')
  copy.append(from.cloneNode(true))
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
    { duration: FLIGHT_MS, delay, easing: 'ease-in-out', fill: 'backwards' },
  )
  flight.onfinish = flight.oncancel = () => copy.remove()
  goal.animate([{}, { transform: `scale(${fox ? 1.35 : 1.15})` }, {}], {
    duration: FLIGHT_MS / 2,
    delay: delay + FLIGHT_MS / 2,
  })
}

export function fly(earned: BonusEarned[]): void {
  earned.slice(0, 3).forEach(({ bonus, where }, i) => {
    const from = document.querySelector<SVGGraphicsElement>(`.middle [data-where='${where}']`)
    const goal = goalOf(bonus)
    if (from && goal) spark(from, goal, bonus === 'fox', i * APART_MS)
  })
}
