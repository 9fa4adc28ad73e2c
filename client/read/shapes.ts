// A run and the rows of its steps, costs and curve as machines read them: types, checks of the interface and openapi.json
// are made of these.
import { z } from 'zod';
import { LIMIT_FLAGS, type StopReason } from '../../evolution/budget/limits.ts';
import type { Plain } from '../../evolution/config/run-config.ts';
import { ROUND_OUTCOMES } from '../../evolution/ideas/rounds.ts';
import { RUN_STATES } from '../../evolution/run-states.ts';
import { PERSON_FROM } from '../../evolution/steering/base/people.ts';
import { TRUST } from '../../evolution/task/trust.ts';
import { OUTCOMES } from '../../evolution/types.ts';

const count = z.number();
const whole = z.int();
const text = z.string();
export const time = text.describe('in UTC, by ISO 8601');
const usage = z.strictObject({
  ...{ in: count, out: count },
  cached: count.exactOptional().describe('those of in that came from a cache'),
  reasoning: count.exactOptional().describe('those of out that were reasoning'),
});
export const mark = z.strictObject({
  ...{ star: z.boolean(), label: text.nullable(), note: text.nullable() },
  ...{ by: z.strictObject({ name: text.nullable(), from: z.enum(PERSON_FROM) }), at: time },
});
const best = z.strictObject({
  ...{ program: text, score: count, strictScore: count.nullable() },
  ranking: count.describe('the one of the two that ranks (`evaluation.scoring`)'),
});
const counts = <K extends string>(names: readonly K[]) =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, count])) as { [name in K]: z.ZodNumber });
const wouldBe = z.strictObject({
  ...{ rounds: count, failed: count },
  share: count.nullable().describe('of the rounds that failed; null where there were none'),
});

const rounds = z.strictObject({
  ideas: z.record(text, count).describe('each idea once, however many programs it has'),
  counts: counts(ROUND_OUTCOMES),
  rollup: counts(['scrapped', 'success', 'failure']).describe('adds up to the number of rounds'),
  shadow: z
    .strictObject({ rejected: wouldBe, unparsed: wouldBe })
    .nullable()
    .describe('ideas that a gate that is `on` would have stopped; null where none was judged in the shadow'),
});
export type RoundsReport = Plain<z.infer<typeof rounds>>;

export const run = z.strictObject({
  ...{ run: text, task: text, method: text, seed: count, state: z.enum(RUN_STATES) },
  stopReason: text.nullable().describe('why it ended, is paused or needs attention'),
  parked: z
    .strictObject({ since: time, tries: count, next: time.nullable(), trying: z.boolean() })
    .nullable()
    .describe('the phase that needs attention'),
  refusals: z
    .array(z.strictObject({ at: time, message: text, why: text, times: count }))
    .describe('the last messages that changed nothing, newest first'),
  steps: count.describe('committed steps, those that a fork inherited included'),
  ...{ programs: count, valid: count, failures: counts(OUTCOMES.filter((outcome) => outcome !== 'valid')) },
  best: best.nullable(),
  uncommitted: z
    .strictObject({ programs: count, valid: count, best: best.nullable() })
    .nullable()
    .describe('what open steps have made so far, and the best of it where it is better than `best`'),
  scoresInvented: z.boolean().describe('no program was run (`evaluation.sandbox: noop`)'),
  ...{ tokens: usage, costUsd: count },
  estimated: z
    .strictObject({ answers: count, tokens: count })
    .describe('the part of `tokens` that is our estimate, because the endpoint named no usage'),
  ...{ wallSeconds: count, offlineModel: z.boolean() },
  level: z.enum(TRUST).nullable().describe('how far its scores can be trusted'),
  stream: z.boolean().describe('its steps do not wait for each other (`schedule: continuous`)'),
  createdAt: time,
  lines: z
    .strictObject({ added: count, reintroduced: count })
    .nullable()
    .describe('lines that edits added, and those of them that an ancestor had deleted'),
  rounds: rounds.nullable().describe('of a run that has ideas before programs'),
  noCell: z.record(text, count).describe('valid programs without a value of a feature, by feature'),
  initialisation: z
    .strictObject({ done: count, of: count })
    .nullable()
    .describe('seed programs that the islands have, and get, before the search begins'),
  limits: z
    .partialRecord(z.enum(Object.keys(LIMIT_FLAGS) as readonly StopReason[]), count)
    .describe('those that are set'),
  settingsVersion: count.describe('of the settings of the next step'),
  paid: z
    .strictObject({ tokens: count, costUsd: count })
    .describe('what limits count: with steps that were rewound and requests without an answer'),
  unanswered: z
    .strictObject({ requests: count, tokens: usage, costUsd: count })
    .describe('requests that have no answer, with what counts for them, mostly estimated'),
  ...{ mark: mark.nullable(), sweep: text.nullable() },
  origin: z
    .strictObject({ run: text, step: count })
    .nullable()
    .describe('what it was forked off, and after which step'),
  taskUpdates: z
    .array(z.strictObject({ at: time, step: count.nullable(), refused: text.nullable() }))
    .describe('new versions of its task, with the step that scored by it, and why one was refused'),
  policy: z.strictObject({ version: count, id: text }).nullable().describe('of the model that it has learned'),
  trackers: z
    .array(z.strictObject({ tracker: text, step: count, error: text }))
    .describe('those that fail for it, with the last step that each has'),
  temporalUrl: text.nullable(),
});
export type RunReport = Plain<z.infer<typeof run>>;

export const curveRow = z.strictObject({
  ...{ step: whole, at: time },
  seconds: count.describe('since step 0 was committed'),
  ...{ programs: whole, valid: whole, tokensIn: count, tokensOut: count, costUsd: count },
  program: text.nullable().describe('the best so far'),
  ...{ score: count.nullable(), strictScore: count.nullable() },
  ranking: count.nullable().describe('the one of the two scores that ranks'),
});
export type CurveRow = Plain<z.infer<typeof curveRow>>;

export const step = z.strictObject({
  ...{ step: whole, generation: whole, epoch: whole },
  inheritedFrom: text.nullable().describe('the run from which a fork has it'),
  settings: whole.describe('the version of the settings, in the run that made it'),
  programs: whole.describe('made in all steps up to this one'),
  valid: whole,
  best: best.omit({ ranking: true }).extend({ step: whole }).nullable(),
  ...{ at: time, superseded: z.boolean() },
});
/** Its time is a text in JSON alone. */
export type StepLine = Omit<Plain<z.infer<typeof step>>, 'at'> & { readonly at: Date };

export const usageRow = z.strictObject({
  ...{ by: z.enum(['model', 'role', 'step', 'total']), name: text },
  ...{ answers: count, tokens: usage, costUsd: count },
});
export type UsageRow = Plain<z.infer<typeof usageRow>>;
