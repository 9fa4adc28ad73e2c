// The checks of the documents of an export, beside their sums: somebody may have changed them together with their sums.
// Nothing of an export may reach documents of other runs, or keep commands and workers from reading all others.
import { z } from 'zod';
import { isPlain } from '../../../evolution/config/layers.ts';
import { METHOD_NAMES, type MethodName } from '../../../evolution/config/names.ts';
import { PRESETS } from '../../../evolution/methods/presets.ts';
import { needsOf } from '../../../evolution/hosts/needs.ts';
import { ANSWERED, BEFORE } from '../../../evolution/stages.ts';
import { PERSON_FROM } from '../../../evolution/steering/base/people.ts';
import { RUN_STATES } from '../../../evolution/run-states.ts';
import { TRUST } from '../../../evolution/task/trust.ts';
import type { TaskDocument } from '../documents/documents.ts';
import type { ExportedCollection } from './every-document.ts';
import { blobRef, taskId } from '../content/texts.ts';

/** The fault of a document as it stands in the file; null where there is none. Ids ascend. */
export const problemOf = (
  collection: ExportedCollection,
  { _id, run, text, ...rest }: Record<string, unknown>,
  last: string,
  family: ReadonlySet<unknown>,
): string | null => {
  if (typeof _id !== 'string' || _id <= last)
    return `expected an _id after ${JSON.stringify(last)}, got ${JSON.stringify(_id)}: lines were added or moved`;
  if (collection === 'tasks') {
    const expected = taskId(rest as Omit<TaskDocument, '_id'>);
    if (expected !== _id) return `expected the task whose SHA-256 is ${_id}, got one with ${expected}`;
    return fieldProblem(TASK, rest, 'task');
  }
  if (collection === 'blobs') {
    if (text === null) return null;
    if (typeof text !== 'string') return `expected a text, got ${JSON.stringify(text)}`;
    return blobRef(text) === _id ? null : `expected the text whose SHA-256 is ${_id}, got one with ${blobRef(text)}`;
  }
  if (!family.has(run))
    return `expected a document of ${[...family].join(', ')}, as manifest.json says, got one of ${JSON.stringify(run)}`;
  if (collection === 'batches') return null;
  if (collection === 'policies')
    return policyNameProblem(_id, run) ?? fieldProblem(POLICY, rest, 'policy') ?? parentProblem(_id, rest);
  if (collection === 'runs')
    return _id === run
      ? fieldProblem(RUN, rest, 'run')
      : `expected the run ${JSON.stringify(run)} under its own name, got ${JSON.stringify(_id)}`;
  // A document is written once, so that whoever has its id first decides what it says.
  if (!_id.startsWith(`${String(run)}:`))
    return `expected an _id that begins with ${String(run)}:, got ${JSON.stringify(_id)}: it was changed`;
  if (collection === 'actions') return fieldProblem(ACTION, { text, ...rest }, 'action');
  if (collection === 'bookings') return fieldProblem(BOOKING, rest, 'booking');
  if (collection === 'updates') return policyNameProblem(rest['policy'], run) ?? fieldProblem(UPDATE, rest, 'update');
  return collection === 'steps' ? fieldProblem(STEP, rest, 'step') : null;
};

const REF = z.string().regex(/^[0-9a-f]{64}$/);

/** Tasks are kept, and `evolve prune` reads those of all runs. */
const TASK = z.object({ task: z.string(), files: z.array(z.object({ path: z.string(), blob: REF })) });

/** Bookings and policies count against the limits of the run, so their numbers must be amounts. */
const COUNT = z.int().min(0);
const AMOUNT = z.number().min(0);
/** Many such costs still add up to a number. */
const COST = z.number().min(0).max(1e12);
const TOKENS = z.object({ in: AMOUNT, out: AMOUNT });
const BOOKING = z.object({
  step: COUNT,
  epoch: COUNT,
  stage: z.enum([...BEFORE, 'program', ...ANSWERED, 'embedding']),
  answer: z.string(),
  sending: z.int().min(1),
  model: z.string(),
  at: z.date(),
  until: z.date(),
  state: z.enum(['sent', 'unanswered']),
  usage: z.object({ in: COUNT, out: COUNT, cached: COUNT.optional(), reasoning: COUNT.optional() }),
  costUsd: COST,
  reason: z.string().nullable(),
});

const PERSON = z.object({ name: z.string().nullable(), from: z.enum(PERSON_FROM) });
const MARK = z.object({ star: z.boolean(), label: z.string().nullable(), note: z.string().nullable() });
const ACTION = z.object({
  verb: z.string(),
  by: PERSON,
  at: z.date(),
  state: z.enum(['asked', 'done', 'refused']),
  text: z.string(),
  marked: z.object({ program: z.string().nullable(), mark: MARK.nullable() }).optional(),
});

const POLICY = z.object({
  version: COUNT,
  parent: z.string().nullable(),
  step: COUNT,
  kind: z.enum(['start', 'supervised', 'policy']),
  result: z.object({ tokens: COUNT }),
  costUsd: COST,
});

/** A policy's id is the name of its folder, which is written and removed, so it must not lead anywhere else. */
const policyNameProblem = (name: unknown, run: unknown): string | null =>
  typeof name === 'string' && /^[a-z0-9-]{1,60}-v[0-9]{4,9}-[a-z0-9]{1,64}$/.test(name) && name.startsWith(`${run}-v`)
    ? null
    : `expected the id of a policy of ${run}, ${run}-v<version>-<id>, got ${JSON.stringify(name)}: it was changed`;

/** A policy is trained from an earlier version, so whoever follows parents comes to the start of the chain. */
const parentProblem = (id: string, { kind, parent }: Record<string, unknown>): string | null =>
  kind === 'start' || parent === null || versionIn(parent) < versionIn(id)
    ? null
    : `parent: expected a policy of a version before ${versionIn(id)}, got ${JSON.stringify(parent)}: it was changed`;
const versionIn = (policy: unknown): number => Number(/-v([0-9]{4,9})-/.exec(String(policy))?.[1] ?? NaN);

/** Whoever removes a run that learned makes the ids of the chunks that all others need. */
const MOST_CHUNKS = 99_999;
const UPDATE = z.object({ batch: z.object({ file: REF, chunks: COUNT.max(MOST_CHUNKS) }).nullable() });

/** Ids of pages and of programs are made of these numbers, one after the other. */
const MOST = 999_999;
const STEP = z.object({
  step: COUNT.max(MOST),
  changeSet: REF,
  slots: z.array(z.tuple([COUNT.max(MOST), COUNT.max(MOST)]).refine(([first, last]) => first <= last)).optional(),
  snapshot: z.object({ step: COUNT.max(MOST), pages: COUNT.max(MOST) }).nullable(),
  stream: z.object({ first: COUNT.max(MOST), next: COUNT.max(MOST), open: z.array(COUNT.max(MOST)) }).optional(),
});

const fieldProblem = (schema: z.ZodType, document: Record<string, unknown>, what: string): string | null => {
  const result = schema.safeParse(document);
  if (result.success) return null;
  const { path, message } = result.error.issues[0]!;
  return `${path.join('.')}: ${message}: the ${what} was changed`;
};

const mapping = z.record(z.string(), z.unknown());
const MODEL = z.looseObject({ name: z.string(), policy: z.string().nullish() });
const VERSION = z.object({ taskSnapshot: REF, taskDigest: z.string(), evaluatorDigest: z.string() });
/** The fields that lists of runs, notices and metrics read of each run. */
const RUN = z.object({
  status: z.enum(RUN_STATES),
  trust: z.enum(TRUST).optional(),
  statusReason: z.string().nullable(),
  stopReason: z.string().nullable(),
  createdAt: z.date(),
  endedAt: z.date().nullable(),
  happened: z
    .array(
      z.union([
        z.object({ at: z.date(), status: z.enum(RUN_STATES), reason: z.string().nullable() }),
        z.object({ at: z.date(), version: COUNT, by: z.string().optional() }),
      ]),
    )
    .optional(),
  committedStep: z.int().min(-1).max(MOST),
  rescorings: z
    .array(
      z.object({
        at: z.date(),
        before: VERSION,
        after: VERSION,
        step: COUNT.max(MOST).nullable(),
        refused: z.string().optional(),
      }),
    )
    .optional(),
  generation: COUNT,
  lineage: z.array(z.object({ run: z.string(), step: COUNT.max(MOST), generation: COUNT })).min(1),
  totals: z.object({
    programs: COUNT,
    valid: COUNT,
    failures: z.record(z.string(), COUNT),
    tokens: TOKENS,
    costUsd: COST,
    estimated: z.object({ answers: AMOUNT, tokens: AMOUNT }).optional(),
    lines: z.object({ added: COUNT, reintroduced: COUNT }).optional(),
    rounds: z
      .object({
        counts: z.record(z.string(), COUNT),
        ideas: z.record(z.string(), COUNT),
        wouldBe: z.record(z.string(), z.object({ rounds: COUNT, failed: COUNT })).optional(),
      })
      .optional(),
  }),
  // Whoever shows a run adds these two: they are never stored.
  unanswered: z.undefined().optional(),
  refusals: z.undefined().optional(),
  population: mapping,
  best: z.object({ program: z.string(), score: z.number(), step: COUNT }).nullable(),
  epochs: z.array(z.object({ step: COUNT, epoch: COUNT })),
  setAside: z.array(z.object({ step: COUNT, epoch: COUNT, programs: COUNT, tokens: TOKENS, costUsd: COST })),
  pausedMs: AMOUNT.optional(),
  removing: z.date().nullish(),
  actedAt: z.date().optional(),
  mark: MARK.extend({ by: PERSON, at: z.string() }).nullish(),
  policy: z.object({ id: z.string(), version: COUNT }).nullish(),
  learned: z.int().min(-1).optional(),
  training: z.object({ tokens: AMOUNT, costUsd: COST }).optional(),
  origin: z.object({ run: z.string(), step: COUNT }).nullable(),
  sweep: z.string().nullable(),
  queue: z
    .string()
    .refine((queue) => needsOf(queue) !== null, 'expected a queue of evaluations')
    .optional(),
  config: z
    .looseObject({ method: z.enum(METHOD_NAMES), task: z.string(), model: MODEL, models: z.array(MODEL) })
    .superRefine((config, context) => {
      for (const message of shapeProblems(config)) context.addIssue({ code: 'custom', message, input: config });
    }),
});

/** A setting may have any value, but each section and list of the preset must be there, and each key of a section. */
const shapeProblems = (config: { readonly method: MethodName; readonly [key: string]: unknown }): readonly string[] =>
  Object.entries(PRESETS[config.method]).flatMap(([key, value]) => {
    const present = config[key];
    if (Array.isArray(value)) return Array.isArray(present) ? [] : [`${key}: expected a list`];
    if (!isPlain(value)) return [];
    if (!isPlain(present)) return [`${key}: expected a section`];
    return Object.keys(value)
      .filter((inner) => present[inner] === undefined)
      .map((inner) => `${key}.${inner}: expected a value`);
  });
