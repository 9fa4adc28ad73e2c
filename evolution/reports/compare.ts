// Runs compared by group: the same settings but for the seed, and the same prompt text, with mean and deviation at
// common checkpoints. A fork and its origin share steps and are never seeds of one group.
import { canonicalJson } from '../canonical-json.ts';
import { valueText } from './value-text.ts';
import type { RunConfig } from '../config/run-config.ts';
import { bestOf } from '../scoring/ranking.ts';
import type { Direction, Json, RunId } from '../types.ts';
import { firstIndex } from '../binary-search.ts';
import { meanOf, type Spread, spreadOf } from '../statistics.ts';

/** The axes of a comparison: programs made, tokens in and out, US dollars, or seconds of waiting. */
export type Axis = 'programs' | 'tokens' | 'costUsd' | 'seconds';
export const AXES: readonly Axis[] = ['programs', 'tokens', 'costUsd', 'seconds'];

/** Sums over the run so far, after a committed step. `best` is the raw objective; null where nothing is valid yet. */
export type Point = { readonly [axis in Axis]: number } & { readonly best: number | null };

type Series = {
  readonly run: RunId;
  readonly seed: number;
  /** In order; on every axis the values grow or stay. There is always one. */
  readonly points: readonly Point[];
};

/** The best after the last step that had not gone beyond `at`. */
export const bestAt = ({ points }: Pick<Series, 'points'>, axis: Axis, at: number): number | null => {
  const beyond = firstIndex(points.length, (index) => points[index]![axis] > at);
  return points[beyond - 1]?.best ?? null;
};

/** The end of the shortest series. */
const commonEnd = (all: readonly Series[], axis: Axis): number =>
  all.reduce((end, { points }) => Math.min(end, points.at(-1)![axis]), Infinity);

/** The ends of the groups' shortest runs, ascending. */
const endsOf = (groups: readonly (readonly Series[])[], axis: Axis): readonly number[] =>
  [...new Set(groups.map((members) => commonEnd(members, axis)))].filter((end) => end > 0).sort((a, b) => a - b);

/** `checkpoints` to the end of the longest group, with the ends of the others between. */
const checkpointsToEnds = (groups: readonly (readonly Series[])[], axis: Axis, count: number): readonly number[] => {
  const ends = endsOf(groups, axis);
  const furthest = groups.find((members) => commonEnd(members, axis) === ends.at(-1));
  const even = furthest === undefined ? [] : checkpoints(furthest, axis, count);
  return [...new Set([...even, ...ends])].sort((a, b) => a - b);
};

/** Equally spaced values up to the common end, programs in whole numbers. Empty where a run counts nothing. */
export const checkpoints = (all: readonly Series[], axis: Axis, count: number): readonly number[] => {
  const end = commonEnd(all, axis);
  if (!(end > 0 && Number.isFinite(end))) return [];
  const at = Array.from({ length: count }, (_, index) => (end * (index + 1)) / count);
  return [...new Set(axis === 'programs' || axis === 'tokens' ? at.map(Math.floor) : at)].filter((value) => value > 0);
};

/** The digest of the task at the start of the run; where not `known`, of the task's evaluator alone. */
export type ComparedRun = Series & {
  readonly config: RunConfig;
  readonly promptText: string;
  /** The run with which it has its first steps in common, and how many. Left out where it has made all of them. */
  readonly fork?: { readonly run: RunId; readonly step: number };
};

export type ComparedGroup = {
  /** The method, and every setting in which it differs from the others of its method. */
  readonly label: string;
  /** Short: the id of a run alone, else the fewest settings that tell the groups apart. */
  readonly name: string;
  /** The digest of the task's prompt text, templates, initial program and evaluator; null where none was kept. */
  readonly promptText: string;
  readonly runs: readonly RunId[];
  readonly seeds: readonly number[];
  /** The spread of the runs' best scores, each at its own end. */
  readonly final: Spread & { readonly best: number | null; readonly bestRun: RunId | null };
  /** The means over the runs, each at its own end. */
  readonly totals: { readonly [axis in Axis]: number };
  /** One entry for each checkpoint of the axis. */
  readonly at: { readonly [axis in Axis]: readonly Spread[] };
};

export type Comparison = {
  readonly checkpoints: { readonly [axis in Axis]: readonly number[] };
  readonly groups: readonly ComparedGroup[];
};

/** The axes end where the shortest of all runs ends, or go on for the groups that have more. */
export type Until = 'shortest' | 'longest';

/** Groups are in the order of their first runs, with `points` checkpoints an axis and no values beyond their ends. */
export const compareRuns = (
  runs: readonly ComparedRun[],
  {
    direction,
    points,
    until = 'shortest',
  }: { readonly direction: Direction; readonly points: number; readonly until?: Until },
): Comparison => {
  const groups = groupsOf(runs);
  const marks = byAxis((axis) =>
    until === 'shortest' ? checkpoints(runs, axis, points) : checkpointsToEnds(groups, axis, points),
  );
  const labels = labelsOf(groups.map(([first]) => first!));
  const names = namesOf(groups);
  return {
    checkpoints: marks,
    groups: groups.map((members, index): ComparedGroup => {
      const ends = members.map(({ run, points: own }) => ({ run, end: own.at(-1)! }));
      const scored = ends.flatMap(({ run, end }) => (end.best === null ? [] : [{ run, best: end.best }]));
      const winner = bestOf(direction, scored, ({ best }) => best);
      return {
        label: labels[index]!,
        name: names[index]!,
        promptText: members[0]!.promptText,
        runs: members.map(({ run }) => run),
        seeds: members.map(({ seed }) => seed),
        final: {
          ...spreadOf(scored.map(({ best }) => best)),
          best: winner?.best ?? null,
          bestRun: winner?.run ?? null,
        },
        totals: byAxis((axis) => meanOf(ends.map(({ end }) => end[axis]))!),
        at: byAxis((axis) => marks[axis].map((at) => spreadAt(members, axis, at))),
      };
    }),
  };
};

/** Forks off the same step are seeds of one group, but never twice with the same seed. */
export const groupsOf = <T extends Pick<ComparedRun, 'config' | 'promptText' | 'fork'>>(
  runs: readonly T[],
): readonly (readonly T[])[] => {
  const before = new Map<string, number>();
  const keyOf = ({ config: { seed, ...settings }, promptText, fork }: T): string => {
    const key = canonicalJson({ settings, promptText, fork: fork ?? null });
    if (fork === undefined) return key;
    const nth = before.get(`${key} ${seed}`) ?? 0;
    before.set(`${key} ${seed}`, nth + 1);
    return `${key} ${nth}`;
  };
  return [...Map.groupBy(runs, keyOf).values()];
};

const spreadAt = (members: readonly Series[], axis: Axis, at: number): Spread =>
  spreadOf(at > commonEnd(members, axis) ? [] : members.flatMap((series) => bestAt(series, axis, at) ?? []));

const byAxis = <T>(of: (axis: Axis) => T): { readonly [axis in Axis]: T } =>
  Object.fromEntries(AXES.map((axis) => [axis, of(axis)])) as { [axis in Axis]: T };

const FORK = 'fork';

/** The method, and what sets a group apart from the others of its method. */
const labelsOf = (firsts: readonly ComparedRun[]): readonly string[] =>
  firsts.map((first) => {
    const { config } = first;
    const others = firsts.filter((other) => other !== first && other.config.method === config.method);
    const own = leavesOf(first);
    const apart = others
      .map(leavesOf)
      .flatMap((leaves) =>
        [...new Set([...own.keys(), ...leaves.keys()])].filter((key) => leaves.get(key) !== own.get(key)),
      );
    return [
      config.method,
      ...[...new Set(apart)]
        .filter((key) => key !== FORK || own.has(FORK))
        .sort()
        .map((key) => (key === FORK ? own.get(key)! : `${key}=${own.get(key) ?? '-'}`)),
    ].join(' ');
  });

const namesOf = (groups: readonly (readonly ComparedRun[])[]): readonly string[] => {
  const several = groups.filter(({ length }) => length > 1).map(([first]) => leavesOf(first!));
  const keys = tellingKeys(several);
  return groups.map(([first, ...others]) => {
    return others.length === 0 ? first!.run : wordsOf(leavesOf(first!), keys) || first!.config.method;
  });
};

const wordsOf = (leaves: ReadonlyMap<string, string>, keys: readonly string[]): string => {
  const word = (key: string): string => leaves.get(key) ?? '-';
  return keys
    .filter((key) => key !== FORK || leaves.has(FORK))
    .map((key) =>
      key === 'method' || key === FORK ? word(key) : `${key.slice(key.lastIndexOf('.') + 1)}=${word(key)}`,
    )
    .join(' ');
};

type Grouped = Pick<ComparedRun, 'run' | 'config' | 'promptText' | 'fork'>;

/** By run, the fewest settings that tell its group from the others; empty for a group alone. */
export const settingsOfGroups = (runs: readonly Grouped[]): ReadonlyMap<RunId, string> => {
  const groups = groupsOf(runs).map((members) => ({ members, leaves: leavesOf(members[0]!) }));
  const keys = tellingKeys(groups.map(({ leaves }) => leaves));
  return new Map(groups.flatMap(({ members, leaves }) => members.map(({ run }) => [run, wordsOf(leaves, keys)])));
};

/** The key that tells most of them apart, then the one that tells most of the rest, and so on; the method before all. */
export const tellingKeys = (all: readonly ReadonlyMap<string, string>[]): readonly string[] => {
  const kinds = (keys: readonly string[]): number =>
    new Set(all.map((one) => canonicalJson(keys.map((key) => one.get(key) ?? null)))).size;
  const differing = [...new Set(all.flatMap((one) => [...one.keys()]))].filter((key) => kinds([key]) > 1).sort();
  const chosen: string[] = differing.filter((key) => key === 'method');
  for (;;) {
    const [now, most] = [kinds(chosen), Math.max(0, ...differing.map((key) => kinds([...chosen, key])))];
    if (most <= now) return chosen;
    chosen.push(differing.find((key) => kinds([...chosen, key]) === most)!);
  }
};

/** The settings by dotted key, without the seed, the task's prompt text and the fork; a list is one value. */
const leavesOf = ({ run, config: { seed: _, ...config }, promptText, fork }: Grouped): ReadonlyMap<string, string> => {
  const leaves = new Map<string, string>([
    ['promptText', promptText.slice(0, 6)],
    ...(fork === undefined ? [] : [[FORK, `${run} (fork of ${fork.run} after step ${fork.step})`] as const]),
  ]);
  const walk = (value: unknown, path: string): void => {
    if (value === null || typeof value !== 'object' || Array.isArray(value))
      leaves.set(path, typeof value === 'object' && value !== null ? valueText(value as Json) : String(value));
    else for (const [key, inner] of Object.entries(value)) walk(inner, path === '' ? key : `${path}.${key}`);
  };
  walk(config, '');
  return leaves;
};
