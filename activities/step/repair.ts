// Further calls for deltas that answers left out (`delta.missing: repair`; docs/methods/deltaevolve.md, An answer
// without a delta). Responses that are applied leave the requests (apply-responses.ts), the step asks them beside the
// evaluation, and the commit reads the answers.
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { withRepair } from '../../evolution/deltas/complete.ts';
import { parseDelta } from '../../evolution/deltas/parse.ts';
import { readAnswer } from '../../evolution/edits/diff.ts';
import { repairId } from '../../evolution/ids.ts';
import { buildMissingDeltaRepair, type MissingDeltaRepair } from '../../evolution/prompts/delta-format.ts';
import type { Task } from '../../evolution/task.ts';
import type { ProgramId } from '../../evolution/types.ts';
import { storeMessages } from '../prompts/compose.ts';
import { templateFor } from '../prompts/templates.ts';
import type { CallDocument, DeltaDocument, ProgramDocument, Repair, RequestDocument } from '../store/step-documents.ts';
import type { Store } from '../store/store.ts';

/** Of programs that are to be evaluated: what ended early is shown to nobody. */
export const wantsRepair = ({ outcome, change }: DeltaDocument, { delta }: Pick<RunConfig, 'delta'>): boolean =>
  delta.missing === 'repair' && outcome === null && change !== undefined && change.status !== 'full';

type ToRepair = MissingDeltaRepair &
  Pick<RequestDocument, 'run' | 'step' | 'epoch' | 'group'> & { readonly program: ProgramId };

/** Before the deltas are stored: where one of these is, so is its request. */
export const writeRepairRequests = async (
  store: Store,
  loadTask: () => Promise<Task>,
  wanted: readonly ToRepair[],
): Promise<void> => {
  if (wanted.length === 0) return;
  const template = templateFor('repair', await loadTask());
  const messages = await storeMessages(
    store,
    wanted.map((one) => {
      const { system, user } = buildMissingDeltaRepair(one, template);
      return [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ];
    }),
  );
  await store.putRequests(
    wanted.map(({ program, run, step, epoch, group }, index): RequestDocument => ({
      _id: repairId(program),
      run,
      step,
      epoch,
      group,
      stage: 'repair',
      messages: messages[index]!,
    })),
  );
};

export type Repaired = { readonly change: NonNullable<DeltaDocument['change']>; readonly repair: Repair };

/** The changes of deltas whose repair was asked for. `failed`: slots that could not be asked, and why. */
export const repairsOf = async (
  store: Store,
  deltas: readonly DeltaDocument[],
  calls: readonly CallDocument[],
  failed: readonly { readonly slot: number; readonly reason: string }[],
): Promise<ReadonlyMap<ProgramId, Repaired>> => {
  const answers = new Map(calls.filter(({ stage }) => stage === 'repair').map((call) => [call._id, call]));
  const reasons = new Map(failed.map(({ slot, reason }) => [slot, reason]));
  if (answers.size + reasons.size === 0) return new Map();
  const texts = await store.getTexts([...answers.values()].map(({ response }) => response));
  return new Map(
    deltas.flatMap(({ _id, slot, change }): [ProgramId, Repaired][] => {
      const [call, reason] = [answers.get(repairId(_id)), reasons.get(slot)];
      if (change === undefined || (call === undefined && reason === undefined)) return [];
      if (call === undefined) return [[_id, { change, repair: { outcome: 'failed', reason: reason! } }]];
      const repaired = withRepair(change, parseDelta(readAnswer(texts.get(call.response) ?? '', 'answer')).delta);
      return [
        [
          _id,
          repaired === null
            ? { change, repair: { outcome: 'failed', reason: 'the answer held no delta' } }
            : { change: repaired, repair: { outcome: 'repaired' } },
        ],
      ];
    }),
  );
};

/** As a program is stored with it: the repaired change, or its own. */
export const changeWith = (
  { _id, change }: DeltaDocument,
  repairs: ReadonlyMap<ProgramId, Repaired>,
): Omit<NonNullable<ProgramDocument['change']>, 'label'> | undefined => {
  const repaired = repairs.get(_id);
  return repaired === undefined ? change : { ...repaired.change, repair: repaired.repair };
};
