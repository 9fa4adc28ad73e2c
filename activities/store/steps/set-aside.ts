// The costs of rewound steps: those of committed ones by their markers, those of one under way by its stored responses.
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { largerUsage, sumUsage, usageSince } from '../../../evolution/budget/money.ts';
import { promptId } from '../../../evolution/ids.ts';
import { sumOf } from '../../../evolution/statistics.ts';
import { STREAM_START } from '../../../evolution/schedule/stream.ts';
import { callIds } from '../content/calls.ts';
import { getByIds } from '../documents/collection.ts';
import type { SetAside } from '../documents/documents.ts';
import { liveMarkerId } from '../documents/lineage.ts';
import { epochAt } from './paid.ts';
import type { ReadConfig } from '../documents/run-documents.ts';
import type { PromptDocument } from '../documents/step-documents.ts';
import { type AskedIn, plannedGroups, programsIn } from '../documents/step-ids.ts';
import type { Collections, StoredRun, StoredStep } from '../documents/stored.ts';
import { range } from '../../../evolution/schedule/slots.ts';

/** One entry for each step and epoch. What is stored for such a pair only grows, so the larger entry is later. */
export const mergedSetAside = (all: readonly SetAside[]): readonly SetAside[] => {
  const merged = new Map<string, SetAside>();
  for (const entry of all) {
    const key = `${entry.step}:${entry.epoch}`;
    const other = merged.get(key);
    merged.set(key, other === undefined ? entry : larger(entry, other));
  }
  return [...merged.values()].filter(
    ({ programs, tokens, costUsd }) => programs + tokens.in + tokens.out + costUsd > 0,
  );
};

const larger = (a: SetAside, b: SetAside): SetAside => ({
  step: a.step,
  epoch: a.epoch,
  programs: Math.max(a.programs, b.programs),
  tokens: largerUsage(a.tokens, b.tokens),
  costUsd: Math.max(a.costUsd, b.costUsd),
});

type Totals = StoredStep['totals'];

/** The share of each of these consecutive steps in the totals. */
export const spentBySteps = (markers: readonly StoredStep[], before: Totals): readonly SetAside[] =>
  markers.map(({ step, epoch, totals }, index) => {
    const { programs, tokens, costUsd } = markers[index - 1]?.totals ?? before;
    return {
      step,
      epoch,
      programs: totals.programs - programs,
      tokens: usageSince(totals.tokens, tokens),
      costUsd: totals.costUsd - costUsd,
    };
  });

type Paid = Pick<Collections, 'steps' | 'prompts' | 'calls' | 'rollouts' | 'embeddings'>;

/**
 * The costs of what is stored for uncommitted steps under their present epochs: responses, embeddings and other calls.
 * Islands may be some steps ahead.
 */
export const spentUnderWay = async (
  collections: Paid,
  readConfig: ReadConfig,
  run: StoredRun,
  from: number,
): Promise<readonly SetAside[]> => {
  const spent: SetAside[] = [];
  for (let step = from; ; step++) {
    const one = await spentIn(collections, readConfig, run, step);
    if (one !== null) spent.push(one);
    if (one === null || step === 0) return spent;
  }
};

/** The groups of one uncommitted step that are planned. */
export type UnderWay = {
  readonly epoch: number;
  readonly config: RunConfig;
  /** By the step in whose name they are; in a stream there may be two. Empty where none is planned. */
  readonly asked: readonly Required<Omit<AskedIn, 'programs'>>[];
};

const underWayIn = async (
  collections: Pick<Paid, 'steps' | 'prompts'>,
  readConfig: ReadConfig,
  run: StoredRun,
  step: number,
): Promise<UnderWay> => {
  const epoch = epochAt(run.epochs, step);
  const planned = await plannedIn(collections, run, step, epoch);
  const asked = [...Map.groupBy(planned, (prompt) => prompt.step)].map(([name, prompts]) => ({
    ...{ run: run._id, step: name, epoch },
    groups: prompts.map(({ group }) => group).sort((a, b) => a - b),
  }));
  return { asked, epoch, config: await readConfig(run._id, planned[0]?.configVersion ?? run.configVersion) };
};

/** The uncommitted steps that are planned, in their order; step 0, which asks for nothing, is none. */
export const stepsUnderWay = async (
  collections: Pick<Paid, 'steps' | 'prompts'>,
  readConfig: ReadConfig,
  run: StoredRun,
): Promise<readonly UnderWay[]> => {
  const steps: UnderWay[] = [];
  if (run.committedStep < 0) return steps;
  for (;;) {
    const one = await underWayIn(collections, readConfig, run, run.committedStep + 1 + steps.length);
    if (one.asked.length === 0) return steps;
    steps.push(one);
  }
};

/** Null when no group of the step was planned. */
const spentIn = async (
  collections: Paid,
  readConfig: ReadConfig,
  run: StoredRun,
  step: number,
): Promise<SetAside | null> => {
  const { calls, rollouts, embeddings } = collections;
  const underWay = await underWayIn(collections, readConfig, run, step);
  if (underWay.asked.length === 0 && step > 0) return null;
  const { asked, epoch, config } = underWay;
  const ids = asked.flatMap((one) => programsIn(one, config));
  const stored = [...(await getByIds(rollouts, ids)).values()];
  const embedded = [...(await getByIds(embeddings, ids)).values()].map(({ tokens, costUsd }) => ({
    usage: { in: tokens, out: 0 },
    costUsd,
  }));
  const called = (step === 0 ? [{ run: run._id, step, epoch }] : asked).flatMap((one) => callIds(one, config));
  const paid = [...stored, ...embedded, ...(await getByIds(calls, called)).values()];
  return {
    step,
    epoch,
    programs: stored.length,
    costUsd: sumOf(paid.map(({ costUsd }) => costUsd)),
    tokens: sumUsage(paid.map(({ usage }) => usage)),
  };
};

/** Prompts of the groups that are planned for the step, in order; of a stream, those of all that is not committed. */
const plannedIn = async (
  { prompts, steps }: Pick<Paid, 'prompts' | 'steps'>,
  run: StoredRun,
  step: number,
  epoch: number,
): Promise<readonly PromptDocument[]> => {
  const getPrompts = (ids: readonly string[]) => getByIds(prompts, ids);
  const at = { run: run._id, epoch };
  const before = step <= 0 || step - 1 > run.committedStep ? null : await steps.get(liveMarkerId(run, step - 1));
  const stream = before?.run === run._id && before.epoch === epoch ? before.stream : undefined;
  const streamed =
    stream === undefined
      ? []
      : [...(await plannedGroups({ getPrompts }, { ...at, step: stream.first }, stream)).values()];
  if (run.config.schedule === 'continuous')
    return [...streamed, ...(await plannedGroups({ getPrompts }, { ...at, step }, STREAM_START)).values()];
  // Any island may be the one that is ahead, so a group of each is looked for.
  const { batch, population } = run.config;
  return [
    ...streamed,
    ...(
      await getPrompts(
        range(0, Math.max(batch, population.islands)).map((group) => promptId(run._id, step, epoch, group)),
      )
    ).values(),
  ];
};
