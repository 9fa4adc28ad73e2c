// `npm run bench -- operations [--only <suite>,...]`: what upgrades, kills, hosts, other runs and telemetry cost. Each
// suite has a file in operations/ and gives the part of the result that is its own.
import type { TestHome } from '../support/machine/home.ts';
import type { Judge } from './conditions.ts';
import { costSuite } from './operations/cost.ts';
import { fairnessSuite } from './operations/fairness.ts';
import { restartsSuite } from './operations/restarts.ts';
import { sandboxSuite } from './operations/sandbox.ts';
import { sizeSuite } from './operations/size.ts';
import { steadySuite } from './operations/steady.ts';
import { hostsSuite } from './operations/hosts.ts';
import { upgradesSuite } from './operations/upgrades.ts';

export type OperationsFlags = {
  /** Names of suites; all of them where it is empty. */
  readonly only: readonly string[];
  /** Suites that have a long form (kills for an hour, a million programs) take it. */
  readonly full: boolean;
};

/** What `--json` prints under `operations`. Others read it, so that names stay. */
type Figures = {
  readonly upgrades: Counts<
    | 'releases'
    | 'workflowTaskFailures'
    | 'lost'
    | 'duplicates'
    | 'stepsUntilSwitch'
    | 'stepsFromRouting'
    | 'stepsFromTaking'
  >;
  readonly restarts: Counts<'kills' | 'lost' | 'duplicates'>;
  readonly hosts: Counts<'linear' | 'lostByKill' | 'secondsByKill' | 'joinSeconds'>;
  readonly fairness: Counts<'share'>;
  readonly steady: readonly Counts<'latencyMs' | 'share'>[];
  readonly cpuMsPerProgram: number;
  readonly metricsCpuMsPerProgram: number;
  /** `runsc` is null where this machine has no gVisor. */
  readonly sandbox: { readonly runc: object; readonly runsc: object | null };
  readonly size: object;
};
/** What one suite measures together. */
type Cost = 'cpuMsPerProgram' | 'metricsCpuMsPerProgram';
type Counts<Name extends string> = { readonly [name in Name]: number };

export type OperationsSuite<Name extends keyof Figures> = (
  home: TestHome,
  say: (line: string) => void,
  judge: Judge,
  flags: OperationsFlags,
) => Promise<Pick<Figures, Name>>;

/** A suite gets a home in which nothing was started yet. */
const SUITES: { readonly [name in Exclude<keyof Figures, Cost>]: OperationsSuite<name> } & {
  readonly cost: OperationsSuite<Cost>;
} = {
  cost: costSuite,
  fairness: fairnessSuite,
  hosts: hostsSuite,
  restarts: restartsSuite,
  sandbox: sandboxSuite,
  size: sizeSuite,
  steady: steadySuite,
  upgrades: upgradesSuite,
};

/** `homeFor` makes an empty home, and `run` removes it. Throws where a name is none of a suite's. */
export const benchOperations = async (
  homeFor: (name: string) => TestHome,
  say: (line: string) => void,
  judge: Judge,
  flags: OperationsFlags,
): Promise<Partial<Figures>> => {
  const unknown = flags.only.filter((name) => !(name in SUITES));
  if (unknown.length > 0)
    throw new Error(`--only: expected some of ${Object.keys(SUITES).join(', ')}, got ${unknown.join(', ')}`);
  let results: Partial<Figures> = {};
  for (const [name, suite] of Object.entries(SUITES)) {
    if (flags.only.length > 0 && !flags.only.includes(name)) continue;
    say(`  ${name}`);
    const home = homeFor(`bench-${name}`);
    try {
      results = { ...results, ...(await suite(home, say, judge, flags)) };
    } finally {
      await home.remove();
    }
  }
  return results;
};
