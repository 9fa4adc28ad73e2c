// What was paid for in rewound steps: for committed ones by their markers, for one under way by its stored responses.
import { largerUsage, sumUsage, usageSince } from '../../evolution/budget/money.ts';
import { programId, promptId } from '../../evolution/ids.ts';
import { callIds } from './calls.ts';
import { getByIds } from './collection.ts';
import type { SetAside } from './documents.ts';
import { epochAt } from './paid.ts';
import type { ReadConfig } from './run-documents.ts';
import type { Collections, StoredRun, StoredStep } from './stored.ts';
import { range, slotsIn } from '../../evolution/slots.ts';

/**
 * One entry for each step and epoch. What is stored for such a pair only grows, so of two entries the larger is the
 * later.
 */
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

/** What each of these consecutive steps added to the totals. */
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

type Paid = Pick<Collections, 'prompts' | 'calls' | 'rollouts' | 'embeddings'>;

/**
 * What is stored for steps that are not committed, under their present epochs: responses, their embeddings and other
 * calls. Islands that do not wait for each other may be some steps ahead.
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

/** Null when no group of the step was planned. */
const spentIn = async (
  { prompts, calls, rollouts, embeddings }: Paid,
  readConfig: ReadConfig,
  { _id: run, epochs, configVersion, config: newest }: StoredRun,
  step: number,
): Promise<SetAside | null> => {
  const epoch = epochAt(epochs, step);
  // Any island may be the one that is ahead, so a group of each is looked for.
  const first = range(0, Math.max(newest.batch, newest.population.islands)).map((group) =>
    promptId(run, step, epoch, group),
  );
  const planned = (await getByIds(prompts, first)).values().next().value;
  if (planned === undefined && step > 0) return null;
  const config = await readConfig(run, planned?.configVersion ?? configVersion);
  const ids = planned === undefined ? [] : range(0, slotsIn(config)).map((slot) => programId(run, step, epoch, slot));
  const stored = [...(await getByIds(rollouts, ids)).values()];
  const embedded = [...(await getByIds(embeddings, ids)).values()].map(({ tokens, costUsd }) => ({
    usage: { in: tokens, out: 0 },
    costUsd,
  }));
  const asked =
    config === null ? new Map<string, never>() : await getByIds(calls, callIds({ run, step, epoch }, config));
  const paid = [...stored, ...embedded, ...asked.values()];
  return {
    step,
    epoch,
    programs: stored.length,
    costUsd: paid.reduce((total, { costUsd }) => total + costUsd, 0),
    tokens: sumUsage(paid.map(({ usage }) => usage)),
  };
};
