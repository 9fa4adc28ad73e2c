// The tokens and dollars of a run by model, role and step, added up from the stored answers (`evolve usage`).
// Here too are the limits with which an ended run goes on.
import { unansweredBy } from '../../activities/store/steps/bookings.ts';
import { alreadyReached, wallSecondsOf } from '../../activities/run/reached.ts';
import type { RunDocument, Training, UnansweredSum } from '../../activities/store/documents/documents.ts';
import { moneyOf, paidSoFar } from '../../activities/store/steps/paid.ts';
import { eachPaid, type PaidAnswer, type PaidFor } from '../../activities/store/population/paid-answers.ts';
import type { BookedStage } from '../../activities/store/documents/step-documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { LIMIT_FLAGS, setLimits, type StopReason } from '../../evolution/budget/limits.ts';
import { commandLine } from '../../evolution/steering/base/command-line.ts';
import type { NewLimits } from '../../evolution/steering/extend.ts';
import { addEstimated, addUsage, type Estimated, type Paid, priceOf } from '../../evolution/budget/money.ts';
import { modelId, modelPool } from '../../evolution/models/ensemble.ts';
import type { Direction, Usage } from '../../evolution/types.ts';
import { slotsIn } from '../../evolution/schedule/slots.ts';
import { ANSWERED, BEFORE } from '../../evolution/stages.ts';
import type { UsageRow } from './shapes.ts';

/** `answers` counts responses, calls of stages and embeddings. */
export type UsageSum = { readonly answers: number; readonly tokens: Usage; readonly costUsd: number };

export type UsageReport = {
  readonly run: string;
  /** The sum of all committed steps, equal to the run's totals. */
  readonly total: UsageSum;
  /** Tokens in of `total` that endpoints read from their caches; null where none named any. */
  readonly cachedIn: number | null;
  /** The part of `total` whose endpoint named no usage. */
  readonly estimated: Estimated;
  /** By the name in the settings, the one that cost most first. */
  readonly models: readonly (UsageSum & { readonly model: string })[];
  readonly roles: readonly (UsageSum & { readonly role: PaidFor })[];
  /** The same by the name of the role. */
  readonly byRole: { readonly [role in PaidFor]?: UsageSum };
  readonly steps: readonly (UsageSum & { readonly step: number })[];
  /** Payments for steps that were rewound or asked afresh. They are in no committed step, and limits count them. */
  readonly rewound: Paid;
  /** The part of `total` that was rewound and used again: it was paid once. */
  readonly reused: Paid;
  /** The part of `total` that a fork has from the run that it comes from, which paid it; null for other runs. */
  readonly inherited: UsageSum | null;
  /**
   * Requests that were sent and have no answer, which limits count: `estimated` of them with our estimate, because the
   * endpoint named no tokens. `waiting` are on their way now, and count in none of the sums.
   */
  readonly unanswered: UnansweredSum & {
    readonly estimated: number;
    readonly waiting: number;
    readonly models: readonly (UnansweredSum & { readonly model: string })[];
    readonly roles: readonly (UnansweredSum & { readonly role: BookedStage })[];
    readonly steps: readonly (UnansweredSum & { readonly step: number })[];
  };
  /**
   * The cost of training its own policies, those behind a rewind too; limits count it. Its tokens are those of the
   * responses, trained on. Left out where nothing was trained.
   */
  readonly training?: Training;
  /** Prices of the run that nobody set: those of a list, with its day. */
  readonly listed: readonly {
    readonly model: string;
    readonly in: number;
    readonly out: number;
    readonly from: string;
  }[];
  /** Models of the run whose price is not known: their tokens count as free. */
  readonly unpriced: readonly string[];
};

const ROLES: readonly PaidFor[] = ['exploit', 'explore', ...BEFORE, ...ANSWERED, 'embedding'];
const NOTHING: UsageSum = { answers: 0, tokens: { in: 0, out: 0 }, costUsd: 0 };

export const usageOf = async (store: Store, document: RunDocument): Promise<UsageReport> => {
  const { run, config, origin } = document;
  let total = NOTHING;
  let inherited = origin === null ? null : NOTHING;
  let estimated: Estimated = { answers: 0, tokens: 0 };
  const models = new Map<string, UsageSum>();
  const roles = new Map<PaidFor, UsageSum>();
  const steps: UsageReport['steps'][number][] = [];
  for await (const { step, by, answers } of eachPaid(store, run)) {
    let sum = NOTHING;
    for (const entry of answers) {
      sum = plus(sum, entry);
      models.set(entry.model, plus(models.get(entry.model) ?? NOTHING, entry));
      roles.set(entry.role, plus(roles.get(entry.role) ?? NOTHING, entry));
    }
    total = {
      answers: total.answers + sum.answers,
      tokens: addUsage(total.tokens, sum.tokens),
      costUsd: total.costUsd + sum.costUsd,
    };
    if (by !== run) inherited = total;
    estimated = addEstimated(estimated, answers);
    steps.push({ step, ...sum });
  }
  const { setAside, reused } = moneyOf(document);
  const { bookings, ...unanswered } = await store.unanswered(run);
  return {
    run,
    total,
    cachedIn: total.tokens.cached ?? null,
    estimated,
    steps,
    unanswered: {
      ...unanswered,
      models: [...unansweredBy('model', bookings)].map(([model, sum]) => ({ model, ...sum })),
      roles: [...unansweredBy('stage', bookings)].map(([role, sum]) => ({ role, ...sum })),
      steps: [...unansweredBy('step', bookings)].map(([step, sum]) => ({ step, ...sum })),
    },
    models: [...models]
      .map(([model, sum]) => ({ model, ...sum }))
      .sort((a, b) => b.costUsd - a.costUsd || all(b.tokens) - all(a.tokens) || (a.model < b.model ? -1 : 1)),
    byRole: Object.fromEntries(roles),
    roles: ROLES.flatMap((role) => (roles.has(role) ? [{ role, ...roles.get(role)! }] : [])),
    rewound: { programs: setAside.programs, tokens: setAside.tokens, costUsd: setAside.costUsd },
    reused,
    inherited,
    ...(document.training === undefined ? {} : { training: document.training }),
    listed: modelPool(config).flatMap((model) => {
      const price = priceOf(model);
      return price?.listed === undefined
        ? []
        : [{ model: modelId(model), in: price.in, out: price.out, from: price.listed }];
    }),
    unpriced: [
      ...modelPool(config)
        .filter((model) => priceOf(model) === null)
        .map(modelId),
      ...(config.embedding.model !== null && config.embedding.price === null ? [config.embedding.model] : []),
    ],
  };
};

/** Sums by what they are of: `{ by: 'step' as const, name: '3', answers, tokens, costUsd }`. */
export const usageRows = ({ models, roles, steps, total }: UsageReport): readonly UsageRow[] => [
  ...models.map(({ model: name, ...sum }) => ({ by: 'model' as const, name, ...sum })),
  ...roles.map(({ role: name, ...sum }) => ({ by: 'role' as const, name, ...sum })),
  ...steps.map(({ step, ...sum }) => ({ by: 'step' as const, name: String(step), ...sum })),
  { by: 'total', name: 'total', ...total },
];

const all = ({ in: read, out }: Usage): number => read + out;

const plus = (sum: UsageSum, { usage, costUsd }: PaidAnswer): UsageSum => ({
  answers: sum.answers + 1,
  tokens: addUsage(sum.tokens, usage),
  costUsd: sum.costUsd + costUsd,
});

/**
 * Limits with which a finished run goes on: the limit that ended it, and any other that is reached already, with room
 * for more. Empty where no limit stands in the way.
 */
export const limitsToGoOn = (run: RunDocument, direction: Direction | null, now: Date): NewLimits => {
  const { limits } = run.config;
  const more: { [limit in StopReason]?: number | null } = {};
  const ended = Object.hasOwn(LIMIT_FLAGS, run.stopReason ?? '') ? (run.stopReason as StopReason) : null;
  for (let reached = ended ?? alreadyReached(run, limits, direction, now); reached !== null && !(reached in more);) {
    const limit = limits[reached];
    if (typeof limit === 'number') more[reached] = raised(run, reached, limit, now);
    reached = alreadyReached(run, { ...limits, ...more }, direction, now);
  }
  return more;
};

export const MORE_STEPS = 10;

/** Ten steps more, or as much again. */
const raised = (run: RunDocument, key: StopReason, limit: number, now: Date): number | null => {
  const { config, committedStep, totals } = run;
  const paid = paidSoFar(run);
  switch (key) {
    case 'steps':
      return Math.max(0, committedStep) + MORE_STEPS;
    case 'programs':
      return totals.programs + MORE_STEPS * slotsIn(config);
    case 'tokens':
      return 2 * Math.max(limit, paid.tokens);
    case 'costUsd':
      return Number((2 * Math.max(limit, paid.costUsd)).toPrecision(6));
    case 'wallSeconds':
      return Math.ceil(wallSecondsOf(run, {}, now)) + Math.max(AN_HOUR, Math.ceil(limit));
    case 'noImprovementPrograms':
      return totals.sinceBest + limit;
    case 'stagnantEpochs':
      return (totals.stagnantEpochs ?? 0) + limit;
    case 'targetScore':
      return null;
  }
};

/** Leaves time to read the command and to enter it. */
const AN_HOUR = 3_600;

/** The limits with which a finished run goes on. For a run that no limit has ended it repeats a limit that the run has. */
export const extendBody = (run: RunDocument, direction: Direction | null, now: Date): NewLimits => {
  const more = limitsToGoOn(run, direction, now);
  return Object.keys(more).length > 0 ? more : Object.fromEntries(setLimits(run.config.limits).slice(0, 1));
};

/** Its command, without `npx evolve`. */
export const extendCommand = (run: RunDocument, direction: Direction | null, now: Date): string =>
  commandLine('extend', [run.run], extendBody(run, direction, now)).replace('npx evolve ', '');
