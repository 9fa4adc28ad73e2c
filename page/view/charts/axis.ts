// The axes along which a run is drawn: programs, tokens, money or time.
import { AXIS_TITLES, type AxisName } from '../../api/run/steps.ts';
import { amount, duration, dollars } from '../base/text.ts';
import type { Drawing } from './types.ts';

export const AXIS_TEXT: { readonly [axis in AxisName]: (value: number) => string } = {
  programs: (value) => amount(Math.round(value)),
  tokens: (value) => amount(Math.round(value)),
  costUsd: dollars,
  seconds: (value) => (value === 0 ? '0' : duration(value)),
};

/** The axis of this name; that of programs for no name. */
export const axisOf = (name: string | null): AxisName =>
  name !== null && Object.hasOwn(AXIS_TITLES, name) ? (name as AxisName) : 'programs';

/** The texts, the numbers and the title of a plot along an axis. */
export const alongAxis = (axis: AxisName): Pick<Drawing, 'xText' | 'xTitle' | 'xSteps'> => ({
  xText: AXIS_TEXT[axis],
  xTitle: AXIS_TITLES[axis],
  xSteps: axis === 'seconds' ? 'seconds' : axis === 'costUsd' ? 'decimal' : 'whole',
});
