// The answers of the policy in a committed step, each with what it was worth: programs by their stored reward, ideas and
// judgements by what came of them.
import { FAILURE_CODE } from '../../evolution/scoring/failures.ts';
import { promptId, stepKey } from '../../evolution/ids.ts';
import { type Carried, ideaReward, judgeReward } from '../../evolution/learning/rewards.ts';
import type { Rewarded } from '../../evolution/learning/rollouts.ts';
import { groupOf, range } from '../../evolution/schedule/slots.ts';
import type { ProgramId, RunId } from '../../evolution/types.ts';
import { missing } from '../run/step-summary.ts';
import type { StepDocument } from '../store/documents/documents.ts';
import type { Sample } from '../store/documents/learning-documents.ts';
import type { ProgramDocument } from '../store/documents/step-documents.ts';
import type { Store } from '../store/store.ts';

/** A sample without its tokens. */
type Light = Pick<Sample, 'id' | 'role' | 'group' | 'truncated'> & { readonly isWhole: boolean };

export const rewardedOf = async (store: Store, run: RunId, step: number): Promise<readonly Rewarded[]> => {
  const marker = await markerOf(store, run, step);
  const { responses, batch } = await store.readConfig(marker.run, marker.configVersion);
  const key = stepKey(marker.run, step, marker.epoch);
  const programs = await programsOf(store, run, step);
  const samples = new Map<string, Light>();
  for await (const sample of store.eachSample(run, step)) samples.set(sample.id, lightOf(sample));
  const ids = programs.map(({ _id }) => _id);
  const [rollouts, deltas, prompts] = await Promise.all([
    store.getRollouts(ids),
    store.getDeltas(ids),
    store.getPrompts(range(0, batch).map((group) => promptId(marker.run, step, marker.epoch, group))),
  ]);
  const written = programs.flatMap((program): readonly Rewarded[] => {
    const rollout = rollouts.get(program._id);
    if (rollout === undefined) return [];
    const sample = samples.get(program._id);
    const group = promptId(marker.run, step, marker.epoch, rollout.group);
    // Another model of the run wrote it.
    if (sample === undefined && (rollout.policy === undefined || rollout.policy !== prompts.get(group)?.policy))
      return [];
    // Its own edits could not be taken: the program is that of a further answer.
    const reward = deltas.get(program._id)?.again === undefined ? program.reward : FAILURE_CODE.no_diff;
    const { isWhole = false, truncated = rollout.finishReason === 'length' } = sample ?? {};
    return [{ id: program._id, group, place: program.slot, reward, truncated, isWhole }];
  });
  const byGroup = await carriedByGroup(store, programs, responses);
  const judged = [...samples.values()].flatMap(({ id, role, group, truncated, isWhole }): readonly Rewarded[] => {
    if (role !== 'idea' && role !== 'judge') return [];
    const of = byGroup.get(group) ?? [];
    const reward = role === 'idea' ? ideaReward(of) : judgeReward(of);
    // One prompt gives one idea and one judgement, so that those of a step are compared with each other.
    const place = batch * responses + (role === 'idea' ? 0 : batch) + group;
    return reward === null ? [] : [{ id, group: `${key}:${role}`, place, reward, truncated, isWhole }];
  });
  return [...written, ...judged];
};

const markerOf = async (store: Store, run: RunId, step: number): Promise<StepDocument> => {
  for await (const marker of store.eachStep(run, step)) if (marker.step === step) return marker;
  throw missing(`the commit of step ${step} of run ${run}`);
};

const programsOf = async (store: Store, run: RunId, step: number): Promise<readonly ProgramDocument[]> => {
  const programs: ProgramDocument[] = [];
  for await (const program of store.eachProgram(run, { fromStep: step })) {
    if (program.step > step) break;
    programs.push(program);
  }
  return programs;
};

const lightOf = ({ id, role, group, truncated, prompt, response, logprobs }: Sample): Light => ({
  id,
  role,
  group,
  truncated,
  isWhole:
    prompt.length > 0 &&
    response.length > 0 &&
    logprobs.length === response.length &&
    logprobs.every((logprob) => Number.isFinite(logprob)),
});

const carriedByGroup = async (
  store: Store,
  programs: readonly ProgramDocument[],
  responses: number,
): Promise<ReadonlyMap<number, readonly Carried[]>> => {
  const ofIdeas = programs.filter(({ idea }) => idea !== undefined);
  const parents = await store.getPrograms([...new Set(ofIdeas.flatMap((program) => program.parents))]);
  const fitOf = (id: ProgramId): number => parents.get(id)?.fit ?? Number.NEGATIVE_INFINITY;
  const carried = new Map<number, Carried[]>();
  for (const { slot, outcome, reward, fit, parents: from, idea } of ofIdeas) {
    const isBetter = outcome === 'valid' && fit !== undefined && from.every((parent) => fit > fitOf(parent));
    const group = groupOf(slot, responses);
    carried.set(group, [...(carried.get(group) ?? []), { outcome, reward, isBetter, would: idea?.would ?? null }]);
  }
  return carried;
};
