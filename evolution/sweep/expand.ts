// The runs of a checked sweep, without chance, so that a sweep that is started again finds them.
import { canonicalJson } from '../canonical-json.ts';
import { ConfigError } from '../config/config-error.ts';
import { withoutListed } from '../budget/prices.ts';
import { changedKeys, fromDotted, type Path, valueAt } from '../config/layers.ts';
import type { Layer, Whereabouts } from '../config/problems.ts';
import type { RunConfig } from '../config/run-config.ts';
import { defaultsFor } from '../methods/defaults.ts';
import { resolveConfig } from '../methods/resolve.ts';
import { rng } from '../rng.ts';
import type { RunId } from '../types.ts';
import { combinationsOf, combinationText } from './combinations.ts';
import { sweepName } from './name.ts';
import { type Combination, type SweepSpec } from './spec.ts';

export type ExpandedRun = {
  readonly run: RunId;
  readonly group: number;
  readonly seed: number;
  readonly repeat: number;
  readonly config: RunConfig;
};
export type ExpandedSweep = {
  readonly name: string;
  /** The settings of each group that differ from the base. Runs of one group differ only in seed and repetition. */
  readonly groups: readonly Combination[];
  /** Group by group, with the seeds innermost. */
  readonly runs: readonly ExpandedRun[];
};

const MAX_ID = 60;
const MAX_PROBLEMS = 20;

/**
 * Throws a ConfigError for impossible settings, with their combination, and for two equal combinations. `below` are
 * layers weaker than the base.
 */
export const expandSweep = (
  spec: SweepSpec,
  startedAt: Date,
  below: readonly Layer[] = [],
  where: Whereabouts = () => 'sweep',
): ExpandedSweep => {
  const name = sweepName(spec.name, startedAt);
  const groups = combinationsOf(spec, where);
  const base: Layer = { settings: spec.base, where: (path) => where(['base', ...path]) };
  const problems = new Map<string, number[]>();
  const report = (problem: string, group: number): void => {
    problems.set(problem, [...(problems.get(problem) ?? []), group]);
  };
  const configs = groups.map((combination, group): RunConfig | null => {
    try {
      const { config } = resolveConfig([
        ...below,
        base,
        { settings: fromDotted(combination), where: (path) => where(placeOf(spec, combination, group, path)) },
      ]);
      const tooEarly = beforeFirstStep(spec, config);
      if (tooEarly !== null) report(`${where(['stopWhen', 'halving', 'first'])}: ${tooEarly}`, group);
      return config;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const problem of error.problems) report(problem, group);
      return null;
    }
  });
  if (problems.size > 0) throw new ConfigError(withCombinations(problems, groups));
  const runs = configs.flatMap((config, group) => runsOf(name, spec, config!, group));
  const repeated = repetitions(runs, groups, where);
  if (repeated.length > 0) throw new ConfigError(repeated);
  return { name, groups, runs };
};

const runsOf = (
  name: string,
  { seeds, repeat: repetitions }: SweepSpec,
  config: RunConfig,
  group: number,
): readonly ExpandedRun[] =>
  Array.from({ length: repetitions }, (_, index) => index + 1).flatMap((repeat) =>
    (seeds ?? [config.seed]).map((seed) => {
      const run = { group, seed, repeat, config: { ...config, seed } };
      return { ...run, run: sweptRunId(name, run, null) };
    }),
  );

/**
 * `promptText` is the digest of the run's task, so that another prompt text makes another run; with null the id is made
 * of the settings alone.
 */
export const sweptRunId = (
  name: string,
  { config, seed, repeat }: Omit<ExpandedRun, 'run' | 'group'>,
  promptText: string | null,
): RunId => `${name}-${settingsHash(config, promptText)}-s${seed}${repeat > 1 ? `-r${repeat}` : ''}`;

/**
 * Eight hexadecimal digits of the prompt text and of the settings beyond the defaults, without the seed. So a new
 * setting with its default changes no id.
 */
const settingsHash = (config: RunConfig, promptText: string | null): string => {
  const {
    method,
    task,
    model: { kind },
  } = config;
  const set = changedKeys(defaultsFor({ method, model: { kind } }), withoutListed(config))
    .filter((key) => key !== 'seed')
    .map((key) => [key, valueAt(config, key.split('.'))] as const);
  return rng(
    canonicalJson({
      ...Object.fromEntries(set),
      method,
      task,
      kind,
      ...(promptText === null ? {} : { words: promptText }),
    }),
    'settings',
  )
    .int(0x100000000)
    .toString(16)
    .padStart(8, '0');
};

/** The place of a combination's setting. */
const placeOf = ({ list, random }: SweepSpec, combination: Combination, group: number, path: Path): Path => {
  const key = Object.keys(combination).find(
    (one) => `${path.join('.')}.`.startsWith(`${one}.`) || one.startsWith(`${path.join('.')}.`),
  );
  return [...(list ? ['list', group] : random ? ['random', 'space'] : ['grid']), ...(key === undefined ? [] : [key])];
};

/** A rung before the end of the first step would have nothing to compare. */
const beforeFirstStep = ({ stopWhen }: SweepSpec, { batch, responses }: RunConfig): string | null => {
  const first = stopWhen?.halving.first;
  return first !== undefined && first < batch * responses
    ? `stopWhen.halving.first: expected at least one step's programs (batch ${batch} * responses ${responses} = ${batch * responses}), got ${first}.`
    : null;
};

/** Each problem once, with the first combination that has it. */
const withCombinations = (
  problems: ReadonlyMap<string, readonly number[]>,
  groups: readonly Combination[],
): readonly string[] => {
  const lines = [...problems].map(([problem, [first, ...others]]) =>
    groups.length === 1
      ? problem
      : `${problem} This is with ${combinationText(groups[first!]!)}${others.length === 0 ? '' : ` and ${others.length} more of ${groups.length} combinations`}.`,
  );
  return lines.length <= MAX_PROBLEMS
    ? lines
    : [...lines.slice(0, MAX_PROBLEMS), `... and ${lines.length - MAX_PROBLEMS} more problems.`];
};

/** Problems with ids: two runs of one id, and ids that are too long. */
const repetitions = (
  runs: readonly ExpandedRun[],
  groups: readonly Combination[],
  where: Whereabouts,
): readonly string[] => {
  const groupOfRun = new Map<RunId, number>();
  const problems: string[] = [];
  const longest = runs.reduce((a, b) => (b.run.length > a.run.length ? b : a));
  if (longest.run.length > MAX_ID)
    problems.push(
      `${where(['name'])}: name: run ids have at most ${MAX_ID} characters, ${longest.run} has ${longest.run.length}: shorten the name, or take smaller seeds.`,
    );
  const reported = new Set<number>();
  for (const { run, group } of runs) {
    const first = groupOfRun.get(run);
    if (first === undefined) groupOfRun.set(run, group);
    else if (!reported.has(group)) {
      reported.add(group);
      problems.push(
        `${where([])}: combinations ${first + 1} (${combinationText(groups[first]!)}) and ${group + 1} (${combinationText(groups[group]!)}) are the same run: leave one out, or set repeat.`,
      );
    }
  }
  return problems;
};
