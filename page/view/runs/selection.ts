// The runs that are ticked in the list of runs. What a filter hides is not acted on.
import { signal } from '@preact/signals';

export const ticks = signal<ReadonlySet<string>>(new Set());

export const tick = (runs: readonly string[], on: boolean): void => {
  ticks.value = new Set(on ? [...ticks.value, ...runs] : [...ticks.value].filter((run) => !runs.includes(run)));
};

/** How many of the runs in sight are ticked. */
export const ticked = (runs: readonly string[]): 'all' | 'some' | 'none' => {
  const number = runs.filter((run) => ticks.value.has(run)).length;
  return number === 0 ? 'none' : number === runs.length ? 'all' : 'some';
};
