// Applies a response to its parent once more, as the step did: blocks, early checks, duplicates. It runs nothing and
// changes nothing.
import { patchedDiff } from '../../../evolution/prompts/patch.ts';
import { sha256 } from '../../../activities/sha256.ts';
import { answerOf, othersShown, textsOfAnswer } from '../../../activities/step/apply/answers.ts';
import { answersBehind, promptsWithBases } from '../../../activities/store/content/calls.ts';
import type {
  DeltaDocument,
  PromptDocument,
  RolloutDocument,
} from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { canonicalJson } from '../../../evolution/canonical-json.ts';
import type { DiffSettings, RunConfig } from '../../../evolution/config/run-config.ts';
import type { DeltaStatus } from '../../../evolution/deltas/delta.ts';
import { splitAnswer } from '../../../evolution/deltas/parse.ts';
import { isWhole, readAnswer, readBlocks } from '../../../evolution/edits/diff.ts';
import { applyResponse, type EarlyResult, reasonOf, repeated } from '../../../evolution/edits/early-checks.ts';
import { normalise } from '../../../evolution/edits/equivalence.ts';
import { keptNotes } from '../../../evolution/edits/limits.ts';
import { promptId } from '../../../evolution/ids.ts';
import { changedKeys } from '../../../evolution/config/layers.ts';
import { changedConfig } from '../../../evolution/methods/change.ts';
import type { Json, Outcome, ProgramId, RunId } from '../../../evolution/types.ts';
import { UsageError } from '../../connect/errors.ts';
import { fileRules, knownFiles } from '../../../activities/program-paths.ts';
import { splitFiles } from '../../../evolution/files/program-files.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { taskOf } from '../../connect/loaded-late.ts';

type ReplayQuery = {
  /** An answer to try in place of the stored one. */
  readonly response?: string;
  /** Settings below `diff` to try, as in a configuration file. */
  readonly diff?: Json;
};

/**
 * `reason` is null where the block applies. `ambiguous` means that it applies to the first of several places. A broken
 * block has no lines.
 */
type ReplayedBlock = {
  readonly block: number;
  readonly search: readonly string[];
  readonly replace: readonly string[];
  readonly reason: string | null;
  readonly ambiguous?: string;
};

export type Replay = {
  readonly program: ProgramId;
  readonly parent: ProgramId;
  readonly response: 'stored' | 'given';
  /** The version of the settings, and the keys that were tried with other values. */
  readonly settings: number;
  readonly changed: readonly string[];
  readonly diff: DiffSettings;
  readonly blocks: readonly ReplayedBlock[];
  /** The state of the change log in the answer; null where the style asks for none. */
  readonly delta: DeltaStatus | null;
  /** Null where the program would be evaluated. */
  readonly outcome: Outcome | null;
  readonly reason: string | null;
  readonly length: number;
  readonly code: string | null;
  /**
   * True where the result equals the stored one. Null where the step has stored nothing for this program yet, or it was
   * mended.
   */
  readonly equal: boolean | null;
  readonly differences: readonly { readonly what: string; readonly stored: Json; readonly replayed: Json }[];
};

export const replayResponse = async (
  store: Store,
  id: ProgramId,
  { response: given, diff }: ReplayQuery,
): Promise<Replay> => {
  const { rollout, prompt, parentCode } = await sourcesOf(store, id);
  const before = await store.readConfig(rollout.run, prompt.configVersion);
  const tried = diff === undefined ? before : changedConfig(before, { kind: 'set', patch: { diff } });
  const config = { ...tried, diff: patchedDiff(tried.diff, prompt.patch) };
  const answered = (await answersBehind(store, [id])).get(id) ?? rollout;
  const text = given ?? answerOf(answered, config, await store.getTexts(textsOfAnswer(answered, config)));
  const { response, delta } = splitAnswer(text, config);
  const needsTask = config.diff.accept === 'either' || splitFiles(parentCode) !== null;
  const task = needsTask ? await taskBehind(store, rollout.run) : undefined;
  const result = applyResponse({
    response,
    parentCode,
    parentNorm: normalise(parentCode),
    settings: config.diff,
    entry: config.diff.accept === 'either' ? task?.entry : undefined,
    files: task && fileRules(knownFiles(task)),
    others: (await othersShown(store, [prompt])).get(prompt._id),
  });
  const hash = result.norm === null ? null : sha256(result.norm);
  const duplicateOf = result.outcome === null ? await duplicate(store, rollout, hash, config) : null;
  const outcome = duplicateOf === null ? result.outcome : 'duplicate';
  const reason =
    duplicateOf === null ? reasonOf(result, given === undefined ? rollout.finishReason : null) : repeated(duplicateOf);
  const made = (await store.getDeltas([id])).get(id);
  // Where several answers made it, the replay of one of them is nothing to hold against it.
  const stored = made?.again === made?.told ? made : undefined;
  const differences =
    stored === undefined
      ? []
      : await differencesFrom(store, stored, {
          ...result,
          unmatched: keptNotes(result.unmatched),
          outcome,
          reason,
          normHash: hash,
          duplicateOf,
        });
  return {
    program: id,
    parent: prompt.parent,
    response: given === undefined ? 'stored' : 'given',
    settings: prompt.configVersion,
    changed: changedKeys(before, config).filter((key) => key.startsWith('diff.')),
    diff: config.diff,
    blocks: blocksOf(response, config, result),
    delta: delta?.status ?? null,
    outcome,
    reason,
    length: result.length,
    code: result.code,
    equal: stored === undefined ? null : differences.length === 0,
    differences,
  };
};

const taskBehind = async (store: Store, run: RunId): Promise<Task> => {
  const document = await store.readRun(run);
  if (document === null) throw new UsageError(`there is no run ${run} in the database`);
  return taskOf(store, document);
};

/** The request, the answer and the parent. Throws UsageError where no model made the program. */
const sourcesOf = async (
  store: Store,
  id: ProgramId,
): Promise<{ readonly rollout: RolloutDocument; readonly prompt: PromptDocument; readonly parentCode: string }> => {
  const rollout = (await store.getRollouts([id])).get(id);
  if (rollout === undefined) {
    const delta = (await store.getDeltas([id])).get(id);
    throw new UsageError(
      delta === undefined
        ? `there is no program "${id}": \`npx evolve programs <run>\` lists them`
        : `program ${id} has no response: ${delta.parent === null ? 'no model made it' : `its group ended before programs were asked for (${delta.outcome})`}`,
    );
  }
  const promptOf = promptId(rollout.run, rollout.step, rollout.epoch, rollout.group);
  const prompt = (await promptsWithBases(store, [promptOf])).get(promptOf);
  const parent = prompt && (await store.getPrograms([prompt.parent])).get(prompt.parent);
  if (prompt === undefined || parent === undefined)
    throw new UsageError(`the prompt of program ${id}, or its parent, is not in the database`);
  return {
    rollout,
    prompt,
    parentCode: parent.code === null ? '' : ((await store.getTexts([parent.code])).get(parent.code) ?? ''),
  };
};

const duplicate = async (
  store: Store,
  { run, step }: RolloutDocument,
  hash: string | null,
  { diff }: RunConfig,
): Promise<ProgramId | null> =>
  hash === null || diff.lazyScope !== 'history'
    ? null
    : ((await store.knownHashes(run, [hash], step)).get(hash) ?? null);

/** An answer that is read as a whole program has no blocks. */
const blocksOf = (
  response: string,
  { diff }: RunConfig,
  { unmatched, ambiguous }: Pick<EarlyResult, 'unmatched' | 'ambiguous'>,
): readonly ReplayedBlock[] => {
  if (diff.accept === 'program') return [];
  const reasons = new Map(unmatched.map(({ block, reason }) => [block, reason]));
  const places = new Map(ambiguous.map(({ block, reason }) => [block, reason]));
  return readBlocks(readAnswer(response, diff.parse)).map((block, index) => ({
    block: index + 1,
    search: isWhole(block) ? block.search : [],
    replace: isWhole(block) ? block.replace : [],
    reason: reasons.get(index + 1) ?? (isWhole(block) ? null : block.broken),
    ...(places.has(index + 1) ? { ambiguous: places.get(index + 1)! } : {}),
  }));
};

type Outcomes = Pick<
  DeltaDocument,
  'outcome' | 'reason' | 'normHash' | 'length' | 'blocks' | 'unmatched' | 'duplicateOf'
> & { readonly code: string | null };

const differencesFrom = async (
  store: Store,
  stored: DeltaDocument,
  replayed: Outcomes,
): Promise<Replay['differences']> => {
  const code = stored.code === null ? null : ((await store.getTexts([stored.code])).get(stored.code) ?? null);
  const was: Outcomes = { ...stored, code };
  return (['outcome', 'reason', 'code', 'normHash', 'length', 'blocks', 'unmatched', 'duplicateOf'] as const)
    .filter((what) => canonicalJson(was[what]) !== canonicalJson(replayed[what]))
    .map((what) => ({ what, stored: was[what] as Json, replayed: replayed[what] as Json }));
};
