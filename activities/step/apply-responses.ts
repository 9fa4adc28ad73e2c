// Activity `applyResponses`: parses responses, applies their edits to the parent and runs the early checks (ThetaEvolve
// Eq. 1). It also writes the requests for deltas that are to be asked for once more.
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { styleOf } from '../../evolution/config/styles.ts';
import { completeDelta } from '../../evolution/deltas/complete.ts';
import { type CompleteDelta, deltaOf } from '../../evolution/deltas/delta.ts';
import { reasonOf, repeated } from '../../evolution/edits/early-checks.ts';
import { reintroduced } from '../../evolution/edits/reintroduced.ts';
import { programId, promptId } from '../../evolution/ids.ts';
import { groupOf } from '../../evolution/slots.ts';
import type { Task } from '../../evolution/task.ts';
import type { ProgramId } from '../../evolution/types.ts';
import type { StoreActivities } from '../interface/run.ts';
import type { Applied } from '../interface/step.ts';
import type { Read } from '../reading/reading.ts';
import type { AnswerRead } from '../reading/readings.ts';
import { recentRun } from '../run/recent-run.ts';
import { missing } from '../run/step-summary.ts';
import type { CallDocument, DeltaDocument, DeltaLines } from '../store/step-documents.ts';
import { readingRun } from '../store/program-memory.ts';
import type { Store } from '../store/store.ts';
import { taskRef } from '../task/kept-task.ts';
import { countingAnswer, furtherAnswers, writeAgainRequests } from './again.ts';
import { type AheadDeps, createAhead } from './ahead.ts';
import { answerOf, readAnswers, textsOfAnswer } from './answers.ts';
import { wantsRepair, writeRepairRequests } from './repair.ts';

/** The lines that were deleted on the way from a parent to a program, and the edge before. All descendants share it. */
type Edge = { readonly deleted: readonly string[]; readonly before: Edge | null };

const KEPT = 20_000;

/**
 * For each of these programs, the hashes of all lines that were deleted between its root and it. Edges are remembered,
 * because deltas never change.
 */
export const createDeletedLines = (
  store: Pick<Store, 'getDeltas'>,
): ((ids: readonly ProgramId[]) => Promise<ReadonlyMap<ProgramId, ReadonlySet<string>>>) => {
  const known = new Map<ProgramId, Edge>();
  return async (ids) => {
    const read = new Map<ProgramId, { readonly parent: ProgramId | null; readonly deleted: readonly string[] }>();
    for (let level = ids; level.length > 0;) {
      const deltas = await store.getDeltas([...new Set(level)].filter((id) => !known.has(id) && !read.has(id)));
      for (const [id, { parent, lines }] of deltas) read.set(id, { parent, deleted: lines?.deleted ?? [] });
      level = [...deltas.values()].flatMap(({ parent }) => parent ?? []);
    }
    const edgeOf = (id: ProgramId): Edge | null => {
      // From the root down and without recursion, because lineages are long.
      const path: ProgramId[] = [];
      let at: ProgramId | null = id;
      while (at !== null && !known.has(at) && read.has(at)) {
        path.push(at);
        at = read.get(at)!.parent;
      }
      let edge = at === null ? null : (known.get(at) ?? null);
      for (const next of path.reverse()) known.set(next, (edge = { deleted: read.get(next)!.deleted, before: edge }));
      return edge;
    };
    const sets = new Map(ids.map((id) => [id, unionOf(edgeOf(id))]));
    for (const oldest of known.keys()) {
      if (known.size <= KEPT) break;
      known.delete(oldest);
    }
    return sets;
  };
};

const unionOf = (edge: Edge | null): ReadonlySet<string> => {
  const union = new Set<string>();
  for (let at = edge; at !== null; at = at.before) for (const hash of at.deleted) union.add(hash);
  return union;
};

export const createApplyResponses = (deps: AheadDeps): Pick<StoreActivities, 'applyResponses'> => {
  const { store, loadTask } = deps;
  const aheadOf = createAhead(deps);
  const deletedBefore = createDeletedLines(store);
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
          : await deltas(
              {
                store: await from(),
                taskOf: async () => loadTask(taskRef({ ...(await settingsOf(run)), config })),
                deletedBefore,
              },
              config,
              { run, step, epoch, final, known: stream === true ? Infinity : step, fresh: come === true },
              slots.filter((_, index) => !present.has(ids[index]!)),
            );
      const fresh = made.documents.length === 0 ? [] : await store.putDeltas(made.documents);
      const all = [...present.values(), ...fresh].sort((a, b) => a.slot - b.slot);
      const repair = all.filter((delta) => wantsRepair(delta, config)).map(({ slot }) => slot);
      return {
        evaluate: distinct(all, stream === true),
        early: all.filter((delta) => delta.outcome !== null).length,
        ...(repair.length === 0 ? {} : { repair }),
        ...(made.again.length === 0 ? {} : { again: made.again }),
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

type Parts = Pick<AheadDeps, 'store'> & {
  readonly taskOf: () => Promise<Task>;
  readonly deletedBefore: ReturnType<typeof createDeletedLines>;
};

type At = {
  readonly run: string;
  readonly step: number;
  readonly epoch: number;
  /** Slots whose model is not to be asked once more. */
  readonly final: readonly number[];
  /** Programs of committed steps before this one are known. */
  readonly known: number;
  /** The model has not been asked once more about any of these. */
  readonly fresh: boolean;
};

const deltas = async (
  { store, taskOf, deletedBefore }: Parts,
  config: RunConfig,
  { run, step, epoch, final, known: before, fresh }: At,
  slots: readonly number[],
): Promise<{ readonly documents: DeltaDocument[]; readonly again: NonNullable<Applied['again']> }> => {
  const ids = slots.map((slot) => programId(run, step, epoch, slot));
  const rollouts = await store.getRollouts(ids);
  const further = fresh ? new Map<ProgramId, readonly CallDocument[]>() : await furtherAnswers(store, ids, config);
  const prompts = await store.getPrompts([
    ...new Set(slots.map((slot) => promptId(run, step, epoch, groupOf(slot, config.responses)))),
  ]);
  const parents = await store.getPrograms([...new Set([...prompts.values()].map((prompt) => prompt.parent))]);
  const texts = await store.getTexts([
    ...[...rollouts.values(), ...[...further.values()].flat()].flatMap((one) => textsOfAnswer(one, config)),
    ...[...parents.values()].flatMap((parent) => (parent.code === null ? [] : [parent.code])),
  ]);
  const answers = slots.flatMap((slot) => {
    const prompt = prompts.get(promptId(run, step, epoch, groupOf(slot, config.responses)));
    const rollout = rollouts.get(programId(run, step, epoch, slot));
    const parent = prompt && parents.get(prompt.parent);
    if (!prompt || !rollout || !parent) throw missing(`prompt, response and parent of step ${step} slot ${slot}`);
    return [rollout, ...(further.get(rollout._id) ?? [])].map((one) => ({
      slot,
      prompt,
      finishReason: one.finishReason,
      response: answerOf(one, config, texts),
      parentCode: parent.code === null ? '' : (texts.get(parent.code) ?? ''),
    }));
  });
  const reads = await readAnswers(store, answers, config, taskOf);
  const all = answers.map(({ slot, prompt, finishReason, response }, index) => {
    const read = readOr(reads[index]!, config);
    const { result } = read;
    return { slot, prompt, finishReason, response, read, result, parent: prompt.parent };
  });
  const closed = new Set(final);
  const chosen = slots.map((slot) => {
    const tried = all.filter((one) => one.slot === slot);
    const at = countingAnswer(tried, closed.has(slot) ? 0 : config.diff.askAgain);
    return { tried, at };
  });
  const again = chosen.flatMap(({ tried, at }) => (at === null ? [{ last: tried.at(-1)!, round: tried.length }] : []));
  await writeAgainRequests(
    store,
    again.map(({ last: { slot, prompt, response, result }, round }) => ({
      ...{ run, step, epoch, group: prompt.group, program: programId(run, step, epoch, slot) },
      ...{ prompt, round, response, result },
    })),
  );
  const results = chosen.flatMap(({ tried, at }) =>
    at === null ? [] : [{ ...tried[at]!, again: at, reason: reasonOf(tried[at]!.result, tried[at]!.finishReason) }],
  );

  const known =
    config.diff.lazyScope === 'history'
      ? await store.knownHashes(
          run,
          results.flatMap(({ read: { result, hash } }) => (result.outcome === null && hash !== null ? [hash] : [])),
          before,
        )
      : new Map<string, ProgramId>();
  const deleted = await deletedBefore([...parents.keys()]);
  const refs = await store.putTexts(
    results.flatMap(({ read: { result } }) => (result.code === null ? [] : [result.code])),
  );
  let next = 0;
  const documents = results.map(({ slot, parent, read, reason, again: round }): DeltaDocument => {
    const { result, delta, hash } = read;
    const code = result.code === null ? null : refs[next++]!;
    const duplicateOf = (result.outcome === null && hash !== null && known.get(hash)) || null;
    return {
      _id: programId(run, step, epoch, slot),
      run,
      step,
      slot,
      parent,
      outcome: duplicateOf === null ? result.outcome : 'duplicate',
      reason: duplicateOf === null ? reason : repeated(duplicateOf),
      code,
      normHash: hash,
      length: result.length,
      blocks: result.blocks,
      unmatched: result.unmatched,
      duplicateOf,
      ...(round === 0 ? {} : { again: round }),
      ...(result.ambiguous.length === 0 ? {} : { ambiguous: result.ambiguous }),
      ...(delta === null ? {} : { change: changeOf(read, parents.get(parent)?.change ?? null) }),
      ...(result.outcome === null && result.code !== null ? { lines: linesOf(read, deleted.get(parent)!) } : {}),
    };
  });
  await writeRepairRequests(
    store,
    taskOf,
    documents.flatMap((document, index) => {
      const {
        parent,
        read: { delta, patch },
      } = results[index]!;
      return delta === null || !wantsRepair(document, config)
        ? []
        : [
            {
              program: document._id,
              run,
              step,
              epoch,
              group: groupOf(document.slot, config.responses),
              delta,
              parentDelta: parents.get(parent)?.change ?? null,
              blocks: patch,
            },
          ];
    }),
  );
  return { documents, again: again.map(({ last: { slot }, round }) => ({ slot, round })) };
};

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
