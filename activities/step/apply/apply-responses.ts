// Activity `applyResponses`: parses responses, applies their edits to the parent and runs the early checks. It reads
// all that this needs, decides (decide.ts), and writes the deltas with the further requests.
import { styleOf } from '../../../evolution/config/styles.ts';
import { deltaOf } from '../../../evolution/deltas/delta.ts';
import { programId, promptId } from '../../../evolution/ids.ts';
import { groupOf, range } from '../../../evolution/schedule/slots.ts';
import type { Task } from '../../../evolution/task/task.ts';
import type { ProgramId } from '../../../evolution/types.ts';
import type { StoreActivities } from '../../interface/run.ts';
import type { AnsweredCall } from '../../interface/step.ts';
import type { Read } from '../../reading/reading.ts';
import type { AnswerRead } from '../../reading/readings.ts';
import { missing, requiredRun, type StepDeps } from '../../run/step-summary.ts';
import type { RunDocument } from '../../store/documents/documents.ts';
import type { CallDocument, DeltaDocument } from '../../store/documents/step-documents.ts';
import { promptsWithBases } from '../../store/content/calls.ts';
import { deltaIdOf } from '../../store/content/mended.ts';
import { withRun } from '../../store/population/population-store.ts';
import type { Store } from '../../store/store.ts';
import { taskRef } from '../../task/kept-task.ts';
import { evaluationKey } from '../evaluate/evaluate.ts';
import { createAhead } from '../commit/ahead.ts';
import { wantsDelta, writeDeltaRequests } from '../commit/missing-delta.ts';
import { answerOf, readAnswers, textsOfAnswer } from './answers.ts';
import { decide, nextAfter, type Step } from './decide.ts';
import { DeletedLines } from './deleted-lines.ts';
import { type Form, isTaken, type SlotAnswer } from './forms.ts';
import { furtherAnswers, writeRepairRequests } from './repair.ts';

export const createApplyResponses = (deps: StepDeps): Pick<StoreActivities, 'applyResponses'> => {
  const { store, loadTask } = deps;
  const aheadOf = createAhead(deps);
  const deleted = new DeletedLines(store);
  return {
    async applyResponses({ run, step, epoch, version, slots, final = [], ahead, stream = false, ...more }) {
      const { fresh = false, overlaps = false } = more;
      const ids = slots.map((slot) => programId(run, step, epoch, slot));
      const present = fresh ? new Map<ProgramId, DeltaDocument>() : await store.getDeltas(ids);
      const config = await store.readConfig(run, version);
      // A program that was run may have failed, and a model may mend it.
      const settled = [...present.values()].filter(({ outcome }) => outcome !== null || config.repair.rounds === 0);
      const done = new Set(settled.map(({ slot }) => slot));
      const left = slots.filter((slot) => !done.has(slot));
      let made: Applied = { toRun: [], asks: [] };
      if (left.length > 0) {
        const document = await requiredRun(store, run);
        made = await applied({
          // Most parents are programs that this process committed or showed.
          store:
            ahead === undefined
              ? withRun(store, document)
              : (await aheadOf({ run, step, epoch, version, ...ahead })).store,
          document,
          taskOf: async () => loadTask(taskRef({ ...document, config })),
          slots: left,
          knownBefore: stream ? Infinity : overlaps ? step - 1 : step,
          ...{ deleted, config, run, step, epoch, final, fresh, each: stream },
        });
      }
      const toRun = [...settled.filter(({ outcome }) => outcome === null), ...made.toRun].sort(
        (a, b) => a.slot - b.slot,
      );
      const mended = toRun.filter(({ _id, slot }) => _id !== programId(run, step, epoch, slot));
      const lacking = toRun.filter((delta) => !mended.includes(delta) && wantsDelta(delta, config));
      const asks = [...made.asks, ...lacking.map(({ slot }): AnsweredCall => ({ stage: 'delta', slot }))];
      return {
        evaluate: distinct(toRun, stream),
        ...(mended.length === 0 ? {} : { mended: mended.map(({ slot }) => slot) }),
        ...(asks.length === 0 ? {} : { asks }),
      };
    },
  };
};

/** The slots to evaluate: of equivalent programs the first, or all of them where `each` is true. */
const distinct = (deltas: readonly DeltaDocument[], each: boolean): number[] => {
  const seen = new Set<string>();
  return deltas
    .filter(({ normHash }) => {
      if (normHash === null || seen.has(normHash)) return false;
      if (!each) seen.add(normHash);
      return true;
    })
    .map((delta) => delta.slot);
};

type Applying = Step & {
  readonly store: Store;
  readonly document: RunDocument;
  readonly taskOf: () => Promise<Task>;
  readonly deleted: DeletedLines;
  readonly slots: readonly number[];
  /** Programs of committed steps before this one are known. */
  readonly knownBefore: number;
  /** No slot was applied before, so nothing is stored of any. */
  readonly fresh: boolean;
};

type Applied = { readonly toRun: readonly DeltaDocument[]; readonly asks: readonly AnsweredCall[] };

const applied = async (of: Applying): Promise<Applied> => {
  const { store } = of;
  const slots = await formsOf(of, await answersOf(of));
  const parents = [...new Set(slots.map(([first]) => deltaIdOf(first!.parent)))];
  const { deltas, codes, asks, lacking, toRun } = decide(slots, await of.deleted.before(parents), of);
  await writeRepairRequests(of, asks);
  await store.putTexts(codes);
  await writeDeltaRequests(store, of.taskOf, lacking);
  const stored = deltas.length === 0 ? [] : await store.putDeltas(deltas);
  const ids = new Set(toRun.map(({ _id }) => _id));
  return {
    toRun: stored.filter(({ _id, outcome }) => ids.has(_id) && outcome === null),
    asks: asks.map(({ slot, round }) => ({ stage: 'repair', slot, round })),
  };
};

type Answered = SlotAnswer & { readonly parentCode: string };

/** The answers of each slot in their order. */
const answersOf = async (of: Applying): Promise<readonly (readonly Answered[])[]> => {
  const { store, config, run, step, epoch, slots, fresh } = of;
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
  return slots.map((slot, index) => {
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
};

/** Reads the answers of all slots in rounds: in each round one answer of every slot, beside the program before it. */
const formsOf = async (
  of: Applying,
  slots: readonly (readonly Answered[])[],
): Promise<readonly (readonly Form[])[]> => {
  const { store, config, document, knownBefore, taskOf } = of;
  const forms = slots.map((): Form[] => []);
  for (let open = range(0, slots.length); open.length > 0;) {
    const answers = open.map((at) => ({ ...slots[at]![forms[at]!.length]!, base: baseOf(forms[at]!) }));
    const reads = (await readAnswers(store, answers, config, taskOf)).map((read) => readOr(read, of));
    const hashes = reads.flatMap(({ result, hash }) => (result.outcome === null ? (hash ?? []) : []));
    const known = config.diff.lazyScope === 'history' ? await store.knownHashes(document, hashes, knownBefore) : null;
    const keyOfHash = (normHash: string | null) => evaluationKey({ normHash }, { ...document, config });
    // Only a program that was run before can have failed.
    const mayHaveFailed = config.repair.rounds > 0 && !of.fresh;
    const evaluations = await store.getEvaluations(mayHaveFailed ? hashes.map(keyOfHash) : []);
    for (const [index, at] of open.entries()) {
      const { parentCode: _, base: __, ...answer } = answers[index]!;
      const read = reads[index]!;
      const isProgram = read.result.outcome === null && read.hash !== null;
      forms[at]!.push({
        ...answer,
        read,
        duplicateOf: (isProgram && known?.get(read.hash!)) || null,
        evaluation: (isProgram && evaluations.get(keyOfHash(read.hash))) || null,
      });
    }
    open = open.filter((at) => nextAfter(forms[at]!, of) === 'mend' && forms[at]!.length < slots[at]!.length);
  }
  return forms;
};

/** The program that the next answer edits; undefined where it edits the parent. */
const baseOf = (forms: readonly Form[]): string | undefined => forms.findLast(isTaken)?.read.result.code ?? undefined;

/** An answer that could not be read within its limits counts as one without edits. */
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
