// Activity `applyResponses`: parses responses, applies their edits to the parent and runs the early checks. It reads
// all that this needs, decides (decide.ts), and writes the deltas with the further requests.
import { styleOf } from '../../../evolution/config/styles.ts';
import { deltaOf } from '../../../evolution/deltas/delta.ts';
import { programId, promptId } from '../../../evolution/ids.ts';
import { groupOf } from '../../../evolution/schedule/slots.ts';
import type { Task } from '../../../evolution/task/task.ts';
import type { ProgramId } from '../../../evolution/types.ts';
import type { StoreActivities } from '../../interface/run.ts';
import type { Read } from '../../reading/reading.ts';
import type { AnswerRead } from '../../reading/readings.ts';
import { recentRun } from '../../run/recent-run.ts';
import { missing, requiredRun, type StepDeps } from '../../run/step-summary.ts';
import type { RunDocument } from '../../store/documents/documents.ts';
import type { CallDocument, DeltaDocument } from '../../store/documents/step-documents.ts';
import { promptsWithBases } from '../../store/content/calls.ts';
import { withRun } from '../../store/population/population-store.ts';
import type { Store } from '../../store/store.ts';
import { taskRef } from '../../task/kept-task.ts';
import { createAhead } from '../commit/ahead.ts';
import { wantsRepair, writeRepairRequests } from '../commit/repair.ts';
import { furtherAnswers, writeAgainRequests } from './again.ts';
import { answerOf, readAnswers, textsOfAnswer } from './answers.ts';
import { decide, type Facts, type SlotAnswer, type Step } from './decide.ts';
import { DeletedLines } from './deleted-lines.ts';

export const createApplyResponses = (deps: StepDeps): Pick<StoreActivities, 'applyResponses'> => {
  const { store, loadTask } = deps;
  const aheadOf = createAhead(deps);
  const deleted = new DeletedLines(store);
  const settingsOf = recentRun(store);
  return {
    async applyResponses({ run, step, epoch, version, slots, final = [], ahead, stream = false, ...more }) {
      const { fresh = false, overlaps = false } = more;
      const ids = slots.map((slot) => programId(run, step, epoch, slot));
      const present = fresh ? new Map<ProgramId, DeltaDocument>() : await store.getDeltas(ids);
      const config = await store.readConfig(run, version);
      const made = {
        deltas: [] as readonly DeltaDocument[],
        again: [] as Awaited<ReturnType<typeof applied>>['again'],
      };
      if (present.size < ids.length) {
        const document = await requiredRun(store, run);
        const of: Applying = {
          // Most parents are programs that this process committed or showed.
          store:
            ahead === undefined
              ? withRun(store, document)
              : (await aheadOf({ run, step, epoch, version, ...ahead })).store,
          document,
          taskOf: async () => loadTask(taskRef({ ...(await settingsOf(run)), config })),
          slots: slots.filter((_, index) => !present.has(ids[index]!)),
          knownBefore: stream ? Infinity : overlaps ? step - 1 : step,
          ...{ deleted, config, run, step, epoch, final, fresh },
        };
        Object.assign(made, await applied(of));
      }
      const all = [...present.values(), ...made.deltas].sort((a, b) => a.slot - b.slot);
      const repairs = all.filter((delta) => wantsRepair(delta, config));
      const asks = [...made.again, ...repairs.map(({ slot }) => ({ stage: 'repair' as const, slot }))];
      return {
        evaluate: distinct(all, stream),
        ...(asks.length === 0 ? {} : { asks }),
      };
    },
  };
};

/** Slots to evaluate; of equivalent programs only the first, unless `each` is true. */
const distinct = (deltas: readonly DeltaDocument[], each: boolean): number[] => {
  const seen = new Set<string>();
  return deltas
    .filter((delta) => {
      if (delta.outcome !== null || delta.normHash === null || seen.has(delta.normHash)) return false;
      if (!each) seen.add(delta.normHash);
      return true;
    })
    .map((delta) => delta.slot);
};

type Applying = Step & {
  readonly store: Store;
  /** As it was just read. */
  readonly document: RunDocument;
  readonly taskOf: () => Promise<Task>;
  readonly deleted: DeletedLines;
  readonly slots: readonly number[];
  /** Programs of committed steps before this one are known. */
  readonly knownBefore: number;
  /** The model has not been asked once more about any of these. */
  readonly fresh: boolean;
};

const applied = async (of: Applying) => {
  const { store } = of;
  const { deltas, codes, again, repairs } = decide(await factsOf(of), of);
  await writeAgainRequests(store, again);
  await store.putTexts(codes);
  await writeRepairRequests(store, of.taskOf, repairs);
  return {
    deltas: deltas.length === 0 ? [] : await store.putDeltas(deltas),
    again: again.map(({ slot, round }) => ({ stage: 'again' as const, slot, round })),
  };
};

const factsOf = async (of: Applying): Promise<Facts> => {
  const { store, config, document, knownBefore } = of;
  const answers = await answersOf(of);
  const all = answers.flat();
  const hashes = all.flatMap(({ read: { result, hash } }) => (result.outcome === null ? (hash ?? []) : []));
  return {
    answers,
    known: config.diff.lazyScope === 'history' ? await store.knownHashes(document, hashes, knownBefore) : new Map(),
    deleted: await of.deleted.before([...new Set(all.map(({ parent }) => parent._id))]),
  };
};

const answersOf = async (of: Applying): Promise<readonly (readonly SlotAnswer[])[]> => {
  const { store, config, run, step, epoch, slots, fresh, taskOf } = of;
  const ids = slots.map((slot) => programId(run, step, epoch, slot));
  const promptOf = (slot: number): string => promptId(run, step, epoch, groupOf(slot, config.responses));
  const rollouts = await store.getRollouts(ids);
  const further = fresh ? new Map<ProgramId, readonly CallDocument[]>() : await furtherAnswers(store, ids, config);
  const prompts = await promptsWithBases(store, [...new Set(slots.map(promptOf))]);
  const parents = await store.getPrograms([...new Set([...prompts.values()].map((prompt) => prompt.parent))]);
  const texts = await store.getTexts([
    ...[...rollouts.values(), ...[...further.values()].flat()].flatMap((one) => textsOfAnswer(one, config)),
    ...[...parents.values()].flatMap(({ code }) => code ?? []),
  ]);
  const answers = slots.map((slot, index) => {
    const id = ids[index]!;
    const prompt = prompts.get(promptOf(slot));
    const rollout = rollouts.get(id);
    const parent = prompt && parents.get(prompt.parent);
    if (!prompt || !rollout || !parent) throw missing(`prompt, response and parent of step ${step} slot ${slot}`);
    const parentCode = parent.code === null ? '' : (texts.get(parent.code) ?? '');
    return [rollout, ...(further.get(id) ?? [])].map((one) => ({
      ...{ id, slot, prompt, parent, parentCode, finishReason: one.finishReason },
      response: answerOf(one, config, texts),
    }));
  });
  const reads = (await readAnswers(store, answers.flat(), config, taskOf)).values();
  return answers.map((ofSlot) => ofSlot.map((one) => ({ ...one, read: readOr(reads.next().value!, of) })));
};

/** An answer that could not be read within its limits is one without edits. */
const readOr = ({ value, failed }: Read<AnswerRead>, { config }: Step): AnswerRead =>
  value ?? {
    result: {
      outcome: 'no_diff',
      reason: `the answer was given up: ${failed}`,
      code: null,
      length: 0,
      blocks: 0,
      unmatched: [],
      ambiguous: [],
    },
    hash: null,
    delta: styleOf(config).asksForDelta ? deltaOf(null, []) : null,
    patch: [],
    added: [],
    deleted: 0,
    deletedHashes: [],
  };
