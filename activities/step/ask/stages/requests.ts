// Writes the requests of a group: those of its stages, and after them the request for its programs.
import type { Disclosed } from '../../../../evolution/deltas/delta.ts';
import { stageId } from '../../../../evolution/ids.ts';
import type { Stage } from '../../../../evolution/stages.ts';
import { storeMessages } from '../../../llm/chat/messages.ts';
import { compose } from '../prompts/compose.ts';
import { asRanked, type StyleInput } from '../prompts/style.ts';
import { basedOn } from '../../../store/content/calls.ts';
import type { GroupPlan, RequestDocument } from '../../../store/documents/step-documents.ts';
import type { Store } from '../../../store/store.ts';
import { idea } from './idea.ts';
import { judge } from './judge.ts';
import { meta } from './meta.ts';
import { notes } from './notes.ts';
import type { StageHandler, StageInput } from './stage.ts';

export const HANDLERS: { readonly [stage in Stage]: StageHandler } = { notes, idea, judge, meta };

/** Writes the request of a stage; with null, the request for programs. */
export const writeRequest = async (
  store: Store,
  planned: GroupPlan,
  stage: Stage | null,
  made: StageInput,
): Promise<void> => {
  const plan = basedOn(planned, made.made);
  const input = { ...made, plan };
  const { _id, run, step, epoch, group } = plan;
  const id = stageId(_id, stage ?? 'program');
  if ((await store.getRequests([id])).size > 0) return;
  let disclosed: readonly Disclosed[] | undefined;
  const [messages] = await storeMessages(store, [
    stage === null
      ? await programMessages(input, (_, nodes) => (disclosed = nodes))
      : await HANDLERS[stage].request({ ...input, task: asRanked(input.task, input.config) }),
  ]);
  const request: RequestDocument = {
    _id: id,
    run,
    step,
    epoch,
    group,
    stage: stage ?? 'program',
    messages: messages!,
    ...(stage === null ? { made: input.made } : {}),
    ...(disclosed === undefined ? {} : { disclosed }),
  };
  await store.putRequests([request]);
};

const programMessages = async (input: StageInput, onDisclosed: StyleInput['onDisclosed']) => {
  const { store, plan, made } = input;
  const refs = [made.idea?.text, made.prompt?.text ?? plan.prompt?.text];
  const texts = await store.getTexts(refs.flatMap((ref) => ref ?? []));
  const [idea, prompt] = refs.map((ref) => (ref === undefined ? null : (texts.get(ref) ?? null)));
  const groups = [{ plan, idea: idea ?? null, prompt: prompt ?? null }];
  return (await compose({ ...input, groups, onDisclosed }))[0]!;
};
