// The axes along which a run is drawn: programs, tokens, money or time.
import { AXIS_TITLES, type AxisName } from '../../api/run/steps.ts';
import { compact, duration, usd } from '../base/text.ts';

export const AXIS_TEXT: { readonly [axis in AxisName]: (value: number) => string } = {
  programs: (value) => compact(Math.round(value)),
  tokens: (value) => compact(Math.round(value)),
  costUsd: usd,
  seconds: (value) => (value === 0 ? '0' : duration(value)),
};

/** The axis of this name; that of programs for no name. */
export const axisOf = (name: string | null): AxisName =>
  name !== null && Object.hasOwn(AXIS_TITLES, name) ? (name as AxisName) : 'programs';

/** Seconds between marks of an axis of time. */
const TIME_STEPS = [1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000];

/** The texts and marks of a plot along an axis. */
export const alongAxis = (axis: AxisName) => ({
  xText: AXIS_TEXT[axis],
  ...(axis === 'seconds' ? { xSteps: TIME_STEPS } : {}),
});
