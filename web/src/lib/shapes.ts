// Every colour has a shape of its own, so that nobody needs to see the colour.

import type { Colour } from './game'

/** Paths in a box from -1 to 1. */
export const SHAPES: Record<Colour, string> = {
  white: 'M0-.95A.95.95 0 1 1 0 .95 .95.95 0 1 1 0-.95Z',
  silver: 'M-.85-.85H.85V.85H-.85Z',
  yellow:
    'M0-1 .27-.66.71-.71.66-.27 1 0 .66.27.71.71.27.66 0 1-.27.66-.71.71-.66.27-1 0-.66-.27-.71-.71-.27-.66Z',
  blue: 'M0-1.05 1.05 0 0 1.05-1.05 0Z',
  green: 'M0-1.05 1.05.85H-1.05Z',
  orange: 'M0-1 .87-.5V.5L0 1-.87.5V-.5Z',
  purple: 'M-1-.45A1 1 0 0 1 1-.45V.5L.5 1H-.5L-1 .5Z',
  pink: 'M0 1-.85.1A.53.53 0 0 1 0-.62 .53.53 0 0 1 .85.1Z',
}
