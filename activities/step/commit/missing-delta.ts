// One further call for each delta that an answer left out (`delta.missing: repair`; docs/methods/deltaevolve.md, An
// answer without a delta). The requests are written when responses are applied (apply-responses.ts), asked while
// programs are evaluated, and their answers are read at the commit.
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { withRepair } from '../../../evolution/deltas/complete.ts';
import { answeredId } from '../../../evolution/ids.ts';
import { buildMissingDeltaRepair, type MissingDeltaRepair } from '../../../evolution/prompts/parts/delta-format.ts';
import type { Task } from '../../../evolution/task/task.ts';
import type { ProgramId } from '../../../evolution/types.ts';
import { storeMessages } from '../../llm/chat/messages.ts';
import { messagesOf } from '../ask/prompts/style.ts';
import { templateFor } from '../ask/prompts/templates.ts';
import { readTexts } from '../../reading/reading.ts';
import type {
  CallDocument,
  DeltaDocument,
  ProgramDocument,
  Repair,
  RequestDocument,
} from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';

/** True where the delta is to be repaired. No prompt shows a program that failed the early checks, so it is not. */
export const wantsDelta = ({ outcome, change }: DeltaDocument, { delta }: Pick<RunConfig, 'delta'>): boolean =>
  delta.missing === 'repair' && outcome === null && change !== undefined && change.status !== 'full';

export type LacksDelta = MissingDeltaRepair &
  Pick<RequestDocument, 'run' | 'step' | 'epoch' | 'group'> & { readonly program: ProgramId };

/** The requests are written before the deltas are stored, so that a stored delta always has its request. */
export const writeDeltaRequests = async (
  store: Store,
  loadTask: () => Promise<Task>,
  wanted: readonly LacksDelta[],
): Promise<void> => {
  if (wanted.length === 0) return;
  const template = templateFor('repair', await loadTask());
  const messages = await storeMessages(
    store,
    wanted.map((one) => messagesOf(buildMissingDeltaRepair(one, template))),
  );
  await store.putRequests(
    wanted.map(({ program, run, step, epoch, group }, index): RequestDocument => ({
      _id: answeredId(program, 'delta'),
      run,
      step,
      epoch,
      group,
      stage: 'delta',
      messages: messages[index]!,
    })),
  );
};

export type Repaired = { readonly change: NonNullable<DeltaDocument['change']>; readonly repair: Repair };

/** The changes of deltas whose repair was asked for. `failed` holds the slots that could not be asked, and why. */
export const repairsOf = async (
  store: Store,
  deltas: readonly DeltaDocument[],
  calls: readonly CallDocument[],
  failed: readonly { readonly slot: number; readonly reason: string }[],
): Promise<ReadonlyMap<ProgramId, Repaired>> => {
  const answers = new Map(calls.filter(({ stage }) => stage === 'delta').map((call) => [call._id, call]));
  const reasons = new Map(failed.map(({ slot, reason }) => [slot, reason]));
  if (answers.size + reasons.size === 0) return new Map();
  const texts = await store.getTexts([...answers.values()].map(({ response }) => response));
  const reads = await readTexts(
    'delta',
    [...answers.values()].map(({ response }) => texts.get(response) ?? ''),
  );
  const read = new Map([...answers.keys()].map((id, index) => [id, reads[index]!]));
  return new Map(
    deltas.flatMap(({ _id, slot, change }): [ProgramId, Repaired][] => {
      const [call, reason] = [answers.get(answeredId(_id, 'delta')), reasons.get(slot)];
      if (change === undefined || (call === undefined && reason === undefined)) return [];
      if (call === undefined) return [[_id, { change, repair: { outcome: 'failed', reason: reason! } }]];
      const { value, failed } = read.get(call._id)!;
      const given = value ?? { delta: null, reason: failed };
      if (given.delta === null) return [[_id, { change, repair: { outcome: 'failed', reason: given.reason } }]];
      const repaired = withRepair(change, given.delta);
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

/** The change that is stored with the program: the repaired one, or its own. */
export const changeWith = (
  { _id, change }: DeltaDocument,
  repairs: ReadonlyMap<ProgramId, Repaired>,
): Omit<NonNullable<ProgramDocument['change']>, 'label'> | undefined => {
  const repaired = repairs.get(_id);
  return repaired === undefined ? change : { ...repaired.change, repair: repaired.repair };
};
