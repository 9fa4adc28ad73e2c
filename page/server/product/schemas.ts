// The schemas of the interface's objects. The compiler holds them to the types that the command line prints, and tests
// hold the answers to them.
import { z } from 'zod';
import type { CurveRow } from '../../../client/rows/curve-rows.ts';
import { type ProgramLine, NO_FAILURES, type RunReport } from '../../../client/read/report.ts';
import type { UsageRow } from '../../../client/read/usage.ts';
import type { StepLine } from '../../../client/read/views.ts';
import { ROUND_OUTCOMES } from '../../../evolution/ideas/rounds.ts';
import { numberEntry, type NumberName, numberNames } from '../../../evolution/reports/program-numbers.ts';
import { RUN_STATES } from '../../../evolution/run-states.ts';
import { PERSON_FROM } from '../../../evolution/steering/base/people.ts';
import { TRUST } from '../../../evolution/task/trust.ts';
import { OUTCOMES } from '../../../evolution/types.ts';
import type { Done } from '../../api/actions/actions.ts';
import type { Refused, Site } from '../../api/site/live.ts';

const time = z.string().describe('in UTC, by ISO 8601');
const usage = z.strictObject({
  in: z.number(),
  out: z.number(),
  cached: z.number().exactOptional().describe('those of in that came from a cache'),
  reasoning: z.number().exactOptional().describe('those of out that were reasoning'),
});
const mark = z.strictObject({
  ...{ star: z.boolean(), label: z.string().nullable(), note: z.string().nullable() },
  ...{ by: z.strictObject({ name: z.string().nullable(), from: z.enum(PERSON_FROM) }), at: time },
});
const best = z.strictObject({
  program: z.string(),
  score: z.number(),
  strictScore: z.number().nullable(),
  ranking: z.number().describe('the one of the two that ranks'),
});
const counts = <K extends string>(names: readonly K[]) =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, z.number()])) as { [name in K]: z.ZodNumber });
const values = z.record(z.string(), z.union([z.number(), z.string(), z.boolean()]));
const wouldBe = z.strictObject({ rounds: z.number(), failed: z.number(), share: z.number().nullable() });

const run = z.strictObject({
  ...{ run: z.string(), task: z.string(), method: z.string(), seed: z.number(), state: z.enum(RUN_STATES) },
  stopReason: z.string().nullable().describe('why it ended, is paused or needs attention'),
  parked: z
    .strictObject({ since: time, tries: z.number(), next: time.nullable(), trying: z.boolean() })
    .nullable()
    .describe('the phase that needs attention'),
  refusals: z.array(z.strictObject({ at: time, message: z.string(), why: z.string(), times: z.number() })),
  ...{ steps: z.number(), programs: z.number(), valid: z.number() },
  failures: counts(Object.keys(NO_FAILURES) as (keyof typeof NO_FAILURES)[]),
  best: best.nullable(),
  uncommitted: z.strictObject({ programs: z.number(), valid: z.number(), best: best.nullable() }).nullable(),
  scoresInvented: z.boolean().describe('no program was run'),
  ...{ tokens: usage, costUsd: z.number() },
  estimated: z.strictObject({ answers: z.number(), tokens: z.number() }),
  ...{ wallSeconds: z.number(), offlineModel: z.boolean() },
  level: z.enum(TRUST).nullable().describe('how far its scores can be trusted'),
  ...{ stream: z.boolean(), createdAt: time },
  lines: z.strictObject({ added: z.number(), reintroduced: z.number() }).nullable(),
  rounds: z
    .strictObject({
      ideas: z.record(z.string(), z.number()).nullable(),
      counts: counts(ROUND_OUTCOMES),
      rollup: counts(['scrapped', 'success', 'failure']),
      shadow: z.strictObject({ rejected: wouldBe, unparsed: wouldBe }).nullable(),
    })
    .nullable(),
  noCell: z.record(z.string(), z.number()),
  initialisation: z.strictObject({ done: z.number(), of: z.number() }).nullable(),
  limits: z.record(z.string(), z.number()).describe('those that are set'),
  settingsVersion: z.number(),
  paid: z.strictObject({ tokens: z.number(), costUsd: z.number() }).describe('what limits count'),
  unanswered: z.strictObject({ requests: z.number(), tokens: usage, costUsd: z.number() }),
  ...{ mark: mark.nullable(), sweep: z.string().nullable() },
  origin: z.strictObject({ run: z.string(), step: z.number() }).nullable(),
  taskUpdates: z.array(z.strictObject({ at: time, step: z.number().nullable(), refused: z.string().nullable() })),
  policy: z.strictObject({ version: z.number(), id: z.string() }).nullable(),
  trackers: z
    .array(z.strictObject({ tracker: z.string(), step: z.number(), error: z.string() }))
    .describe('those that fail for it, with the last step that each has'),
  temporalUrl: z.string().nullable(),
}) satisfies z.ZodType<RunReport>;

const number = (name: NumberName) => z.number().nullable().describe(numberEntry(name).title);
const numbers = Object.fromEntries(numberNames.map((name) => [name, number(name)])) as {
  [name in NumberName]: ReturnType<typeof number>;
};
const idea = z.strictObject({ text: z.string(), score: z.number().nullable(), would: z.string().nullable() });

const program = z.strictObject({
  ...{ id: z.string(), step: z.int(), slot: z.int(), parents: z.array(z.string()), island: z.int() },
  outcome: z.enum(OUTCOMES),
  committed: z.literal(false).exactOptional(),
  ...numbers,
  reward: z.number().describe(numberEntry('reward').title),
  length: z.number().describe(numberEntry('length').title),
  ...{ metrics: values, model: z.string().nullable(), at: time.nullable(), reasons: z.array(z.string()) },
  scoresInvented: z.literal(true).exactOptional(),
  mark: mark.exactOptional(),
  code: z.string().nullable().exactOptional(),
  idea: idea.exactOptional(),
  cells: z.array(z.string()).exactOptional(),
}) satisfies z.ZodType<ProgramLine>;

const step = z.strictObject({
  ...{ step: z.int(), generation: z.int(), epoch: z.int(), inheritedFrom: z.string().nullable() },
  ...{ settings: z.int(), programs: z.int(), valid: z.int() },
  best: best.omit({ ranking: true }).extend({ step: z.int() }).nullable(),
  ...{ at: time, superseded: z.boolean() },
}) satisfies z.ZodType<Omit<StepLine, 'at'>>;

const usageRow = z.strictObject({
  by: z.enum(['model', 'role', 'step', 'total']),
  name: z.string(),
  ...{ answers: z.number(), tokens: usage, costUsd: z.number() },
}) satisfies z.ZodType<UsageRow>;

const curveRow = z.strictObject({
  ...{ step: z.int(), at: time, seconds: z.number(), programs: z.int(), valid: z.int() },
  ...{ tokensIn: z.number(), tokensOut: z.number(), costUsd: z.number(), program: z.string().nullable() },
  ...{ score: z.number().nullable(), strictScore: z.number().nullable(), ranking: z.number().nullable() },
}) satisfies z.ZodType<CurveRow>;

const details = z
  .looseObject({
    ...{ _id: z.string(), run: z.string(), step: z.number(), slot: z.number(), outcome: z.enum(OUTCOMES) },
    ...{ code: z.string().nullable(), solution: z.string().nullable(), mark: mark.nullable(), superseded: z.boolean() },
    ...{ score: z.number().nullable(), strictScore: z.number().nullable(), parents: z.array(z.string()) },
    ...{ reasons: z.array(z.string()), idea: idea.nullable(), scoresInvented: z.boolean() },
    evaluationResult: z.looseObject({ metrics: values }).nullable(),
    delta: z.looseObject({}).nullable(),
    stages: z.array(z.looseObject({ name: z.string() })),
    messages: z.array(z.looseObject({ role: z.string() })).describe('the request for the program'),
  })
  .describe('as `evolve show --json`: its code, what it was asked by, and what became of it');

const bestProgram = z
  .looseObject({
    ...{ run: z.string(), program: z.string(), step: z.number(), reward: z.number(), code: z.string().nullable() },
    ...{ score: z.number(), strictScore: z.number().nullable() },
  })
  .describe('as `evolve best --json --code --solution`');

const task = z.looseObject({
  ...{ id: z.string(), title: z.string(), kind: z.string(), language: z.string() },
  ...{ direction: z.enum(['maximise', 'minimise']), scoreName: z.string(), scoring: z.enum(['tolerant', 'strict']) },
  entry: z.string().describe('the function that a program defines'),
});

const site = z.strictObject({
  version: z.string(),
  home: z.strictObject({ id: z.string(), name: z.string() }),
  readOnly: z.string().nullable().describe('why nothing can be done here; null where it can'),
  docs: z.boolean(),
  exported: z.null(),
}) satisfies z.ZodType<Site>;

const done = z.strictObject({
  text: z.string(),
  run: z.string().nullable().describe('the run to look at: of start and fork the new one'),
  warnings: z.array(z.string()),
  problems: z.array(z.strictObject({ key: z.string().nullable(), message: z.string() })),
  plan: z
    .strictObject({
      ...{ lines: z.array(z.string()), cost: z.string() },
      ...{ given: z.record(z.string(), z.json()), config: z.record(z.string(), z.json()).nullable() },
    })
    .nullable()
    .describe('of a request with dry'),
}) satisfies z.ZodType<Done>;

const refused = z.strictObject({
  error: z.strictObject({ kind: z.enum(['away', 'missing', 'refused']), message: z.string() }),
}) satisfies z.ZodType<Refused>;

export const SCHEMAS = {
  ...{ Site: site, Run: run, Program: program, ProgramDetails: details, Best: bestProgram },
  ...{ Step: step, Task: task, Usage: usageRow, Curve: curveRow, Done: done, Refused: refused },
} as const satisfies { readonly [name: string]: z.ZodType };
export type SchemaName = keyof typeof SCHEMAS;
