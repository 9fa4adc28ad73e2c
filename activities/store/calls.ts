// Reads back what the stages of a step's groups made, and every call of a step beside its responses.
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { judgesInitialIdea } from '../../evolution/ideas/idea.ts';
import { initialIdeaId, programId, promptId, repairId, stageId } from '../../evolution/ids.ts';
import { range, slotsIn } from '../../evolution/slots.ts';
import type { Outcome, RunId, Stage } from '../../evolution/types.ts';
import type { CallDocument, PromptDocument, StagesMade } from './step-documents.ts';
import type { Store } from './store.ts';

const STAGES: readonly Stage[] = ['idea', 'judge', 'meta'];

/** Whether the candidate's group ended before programs were asked for. */
export const isRefused = ({ outcome }: { readonly outcome: Outcome | null }): boolean =>
  outcome === 'rejected' || outcome === 'unparsed' || outcome === 'idea_failed' || outcome === 'rm_failed';

/** By group. */
export const stagesMade = async (
  store: Store,
  prompts: readonly PromptDocument[],
): Promise<ReadonlyMap<number, StagesMade>> => {
  const staged = prompts.filter(({ first }) => first !== undefined);
  const requests = await store.getRequests(staged.map(({ _id }) => stageId(_id, 'program')));
  return new Map([...requests.values()].flatMap(({ group, made }) => (made === undefined ? [] : [[group, made]])));
};

type StepOf = { readonly run: RunId; readonly step: number; readonly epoch: number };
type Calling = Pick<RunConfig, 'batch' | 'responses' | 'ideation' | 'exploration' | 'delta' | 'prompt'>;

/**
 * The ids of every call that a step with these settings can have made: of its stages, for deltas that were left out,
 * and about the initial idea.
 */
export const callIds = ({ run, step, epoch }: StepOf, config: Calling): readonly string[] => {
  if (step === 0) return judgesInitialIdea(config) ? [initialIdeaId(run, epoch)] : [];
  const { batch, ideation, exploration, delta, prompt } = config;
  const groups = ideation.kind === 'none' && !exploration.metaPrompt ? 0 : batch;
  const slots = delta.missing === 'repair' && prompt.style === 'delta' ? slotsIn(config) : 0;
  return [
    ...range(0, groups).flatMap((group) => STAGES.map((stage) => stageId(promptId(run, step, epoch, group), stage))),
    ...range(0, slots).map((slot) => repairId(programId(run, step, epoch, slot))),
  ];
};

/** The calls of a step that were answered. */
export const callsOf = async (store: Store, of: StepOf, config: Calling): Promise<readonly CallDocument[]> => {
  const ids = callIds(of, config);
  return ids.length === 0 ? [] : [...(await store.getCalls(ids)).values()];
};
