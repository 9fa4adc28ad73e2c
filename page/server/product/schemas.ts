// The schemas of the interface's objects. The compiler holds them to the types that the command line prints, and tests
// hold the answers to them.
import { z } from 'zod';
import type { ProgramLine } from '../../../client/read/report.ts';
import { curveRow, mark, run, step, time, usageRow } from '../../../client/read/shapes.ts';
import { numberEntry, type NumberName, numberNames } from '../../../evolution/reports/program-numbers.ts';
import { OUTCOMES } from '../../../evolution/types.ts';
import type { Done } from '../../api/actions/actions.ts';
import type { Refused, Site } from '../../api/site/live.ts';

const values = z.record(z.string(), z.union([z.number(), z.string(), z.boolean()]));
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
