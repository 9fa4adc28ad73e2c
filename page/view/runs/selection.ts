// The runs that are ticked in the list of runs. What a filter hides is not acted on.
import { useState } from 'preact/hooks';

export type Ticks = ReadonlySet<string>;

export const withTicks = (ticks: Ticks, runs: readonly string[], on: boolean): Ticks => {
  const all = new Set(ticks);
  for (const run of runs)
    if (on) all.add(run);
    else all.delete(run);
  return all;
};

/** How many of the runs in sight are ticked. */
export const ticked = (ticks: Ticks, runs: readonly string[]): 'all' | 'some' | 'none' => {
  const number = runs.filter((run) => ticks.has(run)).length;
  return number === 0 ? 'none' : number === runs.length ? 'all' : 'some';
};

export type Selection = {
  readonly ticks: Ticks;
  readonly tick: (runs: readonly string[], on: boolean) => void;
};

export const useSelection = (): Selection => {
  const [ticks, set] = useState<Ticks>(new Set());
  return { ticks, tick: (runs, on) => set((before) => withTicks(before, runs, on)) };
};
