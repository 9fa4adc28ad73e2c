// Activity `applyResponses`: parses responses, applies their edits to the parent and runs the early checks (ThetaEvolve
// Eq. 1). It also writes the requests for deltas that are to be asked for once more.
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { styleOf } from '../../../evolution/config/styles.ts';
import { completeDelta } from '../../../evolution/deltas/complete.ts';
import { type CompleteDelta, deltaOf } from '../../../evolution/deltas/delta.ts';
import { reasonOf, repeated } from '../../../evolution/edits/early-checks.ts';
import { reintroduced } from '../../../evolution/edits/reintroduced.ts';
import { programId, promptId } from '../../../evolution/ids.ts';
import { groupOf } from '../../../evolution/schedule/slots.ts';
import type { Task } from '../../../evolution/task.ts';
import type { BlobRef, ProgramId } from '../../../evolution/types.ts';
import type { StoreActivities } from '../../interface/run.ts';
import type { AnsweredCall } from '../../interface/step.ts';
import type { Read } from '../../reading/reading.ts';
import type { AnswerRead } from '../../reading/readings.ts';
import { recentRun } from '../../run/recent-run.ts';
import { missing } from '../../run/step-summary.ts';
import type {
  CallDocument,
  DeltaDocument,
  DeltaLines,
  ProgramDocument,
  PromptDocument,
} from '../../store/documents/step-documents.ts';
import { readingRun } from '../../store/population/population-store.ts';
import type { Store } from '../../store/store.ts';
import { taskRef } from '../../task/kept-task.ts';
import { countingAnswer, furtherAnswers, writeAgainRequests } from './again.ts';
import { type AheadDeps, createAhead } from '../commit/ahead.ts';
import { answerOf, readAnswers, textsOfAnswer } from './answers.ts';
import { DeletedLines } from './deleted-lines.ts';
import { wantsRepair, writeRepairRequests } from '../commit/repair.ts';

export const createApplyResponses = (deps: AheadDeps): Pick<StoreActivities, 'applyResponses'> => {
  const { store, loadTask } = deps;
  const aheadOf = createAhead(deps);
  const deleted = new DeletedLines(store);
  const settingsOf = recentRun(store);
  return {
    async applyResponses({ run, step, epoch, version, slots, final = [], ahead, stream, fresh: come }) {
      const ids = slots.map((slot) => programId(run, step, epoch, slot));
      const present = come === true ? new Map<ProgramId, DeltaDocument>() : await store.getDeltas(ids);
      const config = await store.readConfig(run, version);
      // Most parents are programs that this process committed or showed.
      const from = async (): Promise<Store> =>
        ahead === undefined ? readingRun(store, run) : (await aheadOf({ run, step, epoch, version, ...ahead })).store;
      const made =
        ids.length === present.size
          ? { documents: [], again: [] }
          : await applied({
              store: await from(),
              taskOf: async () => loadTask(taskRef({ ...(await settingsOf(run)), config })),
              deleted,
              config,
              ...{ run, step, epoch, final, knownBefore: stream === true ? Infinity : step, fresh: come === true },
              slots: slots.filter((_, index) => !present.has(ids[index]!)),
            });
      const fresh = made.documents.length === 0 ? [] : await store.putDeltas(made.documents);
      const all = [...present.values(), ...fresh].sort((a, b) => a.slot - b.slot);
      const repairs = all.filter((delta) => wantsRepair(delta, config));
      const asks = [...made.again, ...repairs.map(({ slot }) => ({ stage: 'repair' as const, slot }))];
      return {
        evaluate: distinct(all, stream === true),
        early: all.filter((delta) => delta.outcome !== null).length,
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

type Applying = Pick<AheadDeps, 'store'> & {
  readonly taskOf: () => Promise<Task>;
  readonly deleted: DeletedLines;
  readonly config: RunConfig;
  readonly run: string;
  readonly step: number;
  readonly epoch: number;
  readonly slots: readonly number[];
  /** Slots whose model is not to be asked once more. */
  readonly final: readonly number[];
  /** Programs of committed steps before this one are known. */
  readonly knownBefore: number;
  /** The model has not been asked once more about any of these. */
  readonly fresh: boolean;
};

/** Reads what the answers need, decides of them by rules alone, and writes what follows. */
const applied = async (
  of: Applying,
): Promise<{ readonly documents: DeltaDocument[]; readonly again: readonly AnsweredCall[] }> => {
  const { store, config, run } = of;
  const tried = await triedIn(of);
  const { chosen, again } = decided(tried, of);
  await writeAgainRequests(store, again);
  const hashes = chosen.flatMap(({ read: { result, hash } }) => (result.outcome === null ? (hash ?? []) : []));
  const known =
    config.diff.lazyScope === 'history'
      ? await store.knownHashes(run, hashes, of.knownBefore)
      : new Map<string, ProgramId>();
  const deleted = await of.deleted.before([...new Set(chosen.map(({ parent }) => parent._id))]);
  const codes = chosen.flatMap(({ read: { result } }) => result.code ?? []);
  const refs = new Map((await store.putTexts(codes)).map((ref, index) => [codes[index]!, ref]));
  const documents = chosen.map((one) => documentOf(one, of, { known, deleted: deleted.get(one.parent._id)!, refs }));
  await writeRepairRequests(store, of.taskOf, repairsOf(chosen, documents, config));
  return { documents, again: again.map(({ slot, round }) => ({ stage: 'again', slot, round })) };
};

/** An answer to a slot, read beside the parent. */
type Tried = {
  readonly id: ProgramId;
  readonly slot: number;
  readonly prompt: PromptDocument;
  readonly parent: ProgramDocument;
  readonly response: string;
  readonly finishReason: string | null;
  readonly read: AnswerRead;
};

/** The answers of each slot in their order, the first one and those that were asked for once more. */
const triedIn = async (of: Applying): Promise<readonly (readonly Tried[])[]> => {
  const { store, config, run, step, epoch, slots, fresh, taskOf } = of;
  const ids = slots.map((slot) => programId(run, step, epoch, slot));
  const promptOf = (slot: number): string => promptId(run, step, epoch, groupOf(slot, config.responses));
  const rollouts = await store.getRollouts(ids);
  const further = fresh ? new Map<ProgramId, readonly CallDocument[]>() : await furtherAnswers(store, ids, config);
  const prompts = await store.getPrompts([...new Set(slots.map(promptOf))]);
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
  const reads = await readAnswers(store, answers.flat(), config, taskOf);
  let next = 0;
  return answers.map((ofSlot) => ofSlot.map((one) => ({ ...one, read: readOr(reads[next++]!, config) })));
};

/** Which answer counts. `again` says how many further answers came before it. */
type Chosen = Tried & { readonly again: number };

/** The answers that count, and the slots whose model is to be asked once more. */
const decided = (
  tried: readonly (readonly Tried[])[],
  { run, step, epoch, final, config }: Applying,
): { readonly chosen: readonly Chosen[]; readonly again: Parameters<typeof writeAgainRequests>[1] } => {
  const places = tried.map((ofSlot) => ({
    ofSlot,
    at: countingAnswer(
      ofSlot.map(({ finishReason, read: { result } }) => ({ finishReason, result })),
      final.includes(ofSlot[0]!.slot) ? 0 : config.diff.askAgain,
    ),
  }));
  return {
    chosen: places.flatMap(({ ofSlot, at }) => (at === null ? [] : [{ ...ofSlot[at]!, again: at }])),
    again: places.flatMap(({ ofSlot, at }) => {
      if (at !== null) return [];
      const { id: program, slot, prompt, response, read } = ofSlot.at(-1)!;
      const round = ofSlot.length;
      return [
        { ...{ run, step, epoch, group: prompt.group, program, slot }, prompt, round, response, result: read.result },
      ];
    }),
  };
};

type Facts = {
  /** Programs of the run by the hash of their text. */
  readonly known: ReadonlyMap<string, ProgramId>;
  /** Hashes of the lines that were deleted on the way to the parent. */
  readonly deleted: ReadonlySet<string>;
  /** The stored texts by their content. */
  readonly refs: ReadonlyMap<string, BlobRef>;
};

const documentOf = (
  { id, slot, parent, read, finishReason, again }: Chosen,
  { run, step }: Applying,
  { known, deleted, refs }: Facts,
): DeltaDocument => {
  const { result, delta, hash } = read;
  const duplicateOf = (result.outcome === null && hash !== null && known.get(hash)) || null;
  return {
    _id: id,
    run,
    step,
    slot,
    parent: parent._id,
    outcome: duplicateOf === null ? result.outcome : 'duplicate',
    reason: duplicateOf === null ? reasonOf(result, finishReason) : repeated(duplicateOf),
    code: result.code === null ? null : refs.get(result.code)!,
    normHash: hash,
    length: result.length,
    blocks: result.blocks,
    unmatched: result.unmatched,
    duplicateOf,
    ...(again === 0 ? {} : { again }),
    ...(result.ambiguous.length === 0 ? {} : { ambiguous: result.ambiguous }),
    ...(delta === null ? {} : { change: changeOf(read, parent.change ?? null) }),
    ...(result.outcome === null && result.code !== null ? { lines: linesOf(read, deleted) } : {}),
  };
};

const repairsOf = (
  chosen: readonly Chosen[],
  documents: readonly DeltaDocument[],
  config: RunConfig,
): Parameters<typeof writeRepairRequests>[2] =>
  documents.flatMap((document, index) => {
    const { prompt, parent, read } = chosen[index]!;
    const { run, step, epoch, group } = prompt;
    return read.delta === null || !wantsRepair(document, config)
      ? []
      : [
          {
            ...{ program: document._id, run, step, epoch, group },
            ...{ delta: read.delta, parentDelta: parent.change ?? null, blocks: read.patch },
          },
        ];
  });

/** An answer that could not be read within its limits is one without edits. */
const readOr = ({ value, failed }: Read<AnswerRead>, config: Pick<RunConfig, 'prompt'>): AnswerRead =>
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

const changeOf = ({ result, delta, added, deleted }: AnswerRead, parentDelta: CompleteDelta | null): CompleteDelta =>
  completeDelta({
    delta: delta!,
    parentDelta,
    blocks: result.blocks,
    addedLines: added.length,
    deletedLines: deleted,
  });

/** Number of returned lines that are kept for prompts. */
const RETURNED = 20;

const linesOf = ({ added, deletedHashes }: AnswerRead, deletedBefore: ReadonlySet<string>): DeltaLines => {
  const returned = reintroduced(added, deletedBefore);
  return {
    added: added.length,
    reintroduced: returned.length,
    deleted: deletedHashes,
    returned: returned.slice(0, RETURNED),
  };
};
