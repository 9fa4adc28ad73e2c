// What the stages of a step's groups came to, read back when the step is committed. Called by commit-step.ts.
import type { Outcome, Stage } from '../../evolution/types.ts';
import type { CallDocument, PromptDocument, StagesMade } from '../store/documents.ts';
import type { Store } from '../store/store.ts';
import { stageId } from './stage.ts';

export const STAGES: readonly Stage[] = ['idea', 'judge', 'meta'];

/** Its group ended before programs were asked for. */
export const isRefused = ({ outcome }: { readonly outcome: Outcome | null }): boolean =>
  outcome === 'rejected' || outcome === 'unparsed' || outcome === 'idea_failed' || outcome === 'rm_failed';

export const stagesMade = async (
  store: Store, prompts: readonly PromptDocument[],
): Promise<{ readonly made: ReadonlyMap<number, StagesMade>; readonly calls: readonly CallDocument[] }> => {
  const staged = prompts.filter(({ first }) => first !== undefined);
  const requests = await store.getRequests(staged.map(({ _id }) => stageId(_id, 'program')));
  const calls = await store.getCalls(staged.flatMap(({ _id }) => STAGES.map((stage) => stageId(_id, stage))));
  return { made: new Map([...requests.values()].flatMap(({ group, made }) => (made === undefined ? [] : [[group, made]]))), calls: [...calls.values()] };
};
