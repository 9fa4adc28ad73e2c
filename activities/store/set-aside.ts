// What was paid for in steps that are given up: of committed ones by their markers, of one under way by its stored responses.
// Called by fence.ts and resample.ts.
import { programId, promptId } from '../../evolution/ids.ts';
import { STAGES } from '../stages/made.ts';
import { stageId } from '../stages/stage.ts';
import { largerUsage, sumUsage, usageSince } from '../../evolution/usage.ts';
import type { SetAside } from './documents.ts';
import { getByIds } from './insert-or-get.ts';
import { epochAt } from './paid.ts';
import type { ReadConfig } from './configs.ts';
import type { Collections, StoredRun, StoredStep } from './stored.ts';

/** One entry for each step and epoch. What is stored for a pair only grows, so of two accounts the larger is the later. */
export const mergedSetAside = (all: readonly SetAside[]): readonly SetAside[] => {
  const merged = new Map<string, SetAside>();
  for (const entry of all) {
    const key = `${entry.step}:${entry.epoch}`;
    const other = merged.get(key);
    merged.set(key, other === undefined ? entry : larger(entry, other));
  }
  return [...merged.values()].filter(({ programs, tokens, costUsd }) => programs + tokens.in + tokens.out + costUsd > 0);
};

const larger = (a: SetAside, b: SetAside): SetAside => ({
  step: a.step, epoch: a.epoch, programs: Math.max(a.programs, b.programs),
  tokens: largerUsage(a.tokens, b.tokens), costUsd: Math.max(a.costUsd, b.costUsd),
});

type Totals = StoredStep['totals'];

/** What each of these steps, one after the other, added to the totals. */
export const spentBySteps = (markers: readonly StoredStep[], before: Totals): readonly SetAside[] => markers.map(({ step, epoch, totals }, index) => {
  const { programs, tokens, costUsd } = markers[index - 1]?.totals ?? before;
  return { step, epoch, programs: totals.programs - programs, tokens: usageSince(totals.tokens, tokens), costUsd: totals.costUsd - costUsd };
});

/** The responses that are stored for a step that is not committed, under its present epoch, their embeddings, and what was asked before. */
export const spentUnderWay = async (
  { prompts, calls, rollouts, embeddings }: Pick<Collections, 'prompts' | 'calls' | 'rollouts' | 'embeddings'>, readConfig: ReadConfig, { _id: run, epochs }: StoredRun, step: number,
): Promise<SetAside> => {
  const epoch = epochAt(epochs, step);
  const planned = await prompts.get(promptId(run, step, epoch, 0));
  const { batch, responses } = planned === null ? { batch: 0, responses: 0 } : await readConfig(run, planned.configVersion);
  const ids = Array.from({ length: batch * responses }, (_, slot) => programId(run, step, epoch, slot));
  const stored = [...(await getByIds(rollouts, ids)).values()];
  const embedded = [...(await getByIds(embeddings, ids)).values()].map(({ tokens, costUsd }) => ({ usage: { in: tokens, out: 0 }, costUsd }));
  const asked = await getByIds(calls, Array.from({ length: batch }, (_, group) => STAGES.map((stage) => stageId(promptId(run, step, epoch, group), stage))).flat());
  const paid = [...stored, ...embedded, ...asked.values()];
  return {
    step, epoch, programs: stored.length, costUsd: paid.reduce((total, { costUsd }) => total + costUsd, 0), tokens: sumUsage(paid.map(({ usage }) => usage)),
  };
};
