// Best score so far of a run against what it had made, read, paid and waited for. Called by groups.ts; cli/library/compare.ts makes the series.
import type { RunId } from '../types.ts';

export type Axis = 'programs' | 'tokens' | 'costUsd' | 'seconds';
export const AXES: readonly Axis[] = ['programs', 'tokens', 'costUsd', 'seconds'];

/** After a committed step: sums over the run so far. `best`: raw objective; null: nothing valid yet. */
export type Point = { readonly [axis in Axis]: number } & { readonly best: number | null };

export type Series = {
  readonly run: RunId; readonly seed: number;
  /** In order; every axis grows or stays. Never empty. */
  readonly points: readonly Point[];
};

/** The best after the last step that had not gone beyond `at`. */
export const bestAt = ({ points }: Series, axis: Axis, at: number): number | null => {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (points[middle]![axis] <= at) low = middle + 1;
    else high = middle;
  }
  return points[low - 1]?.best ?? null;
};

/** How far every series goes: beyond it some would have to be guessed. */
export const commonEnd = (all: readonly Series[], axis: Axis): number => all.reduce((end, { points }) => Math.min(end, points.at(-1)![axis]), Infinity);

/** Equally spaced, the last at the common end; programs in whole numbers. Empty where some run counts nothing on this axis. */
export const checkpoints = (all: readonly Series[], axis: Axis, count: number): readonly number[] => {
  const end = commonEnd(all, axis);
  if (!(end > 0 && Number.isFinite(end))) return [];
  const at = Array.from({ length: count }, (_, index) => (end * (index + 1)) / count);
  return [...new Set(axis === 'programs' || axis === 'tokens' ? at.map(Math.floor) : at)].filter((value) => value > 0);
};
