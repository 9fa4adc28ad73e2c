// All that led to one program: what models were asked, what they answered, and what their edits gave.
import { isPriced } from '../../evolution/models/ensemble.ts';
import { answersOf } from './program-numbers.ts';
import { type ProgramTexts, wordsBehind } from '../../activities/results/program-texts.ts';
import { unansweredBy } from '../../activities/store/steps/bookings.ts';
import { taskAt } from '../../activities/store/documents/lineage.ts';
import type { RunDocument, UnansweredSum } from '../../activities/store/documents/documents.ts';
import type { ProgramDocument } from '../../activities/store/documents/step-documents.ts';
import { deltaIdOf } from '../../activities/store/content/mended.ts';
import type { Store } from '../../activities/store/store.ts';
import type { Direction, ProgramId, Usage } from '../../evolution/types.ts';
import {
  initialJudgement,
  limitsOf,
  promptBehind,
  type PromptLimits,
  type StageSent,
  stagesSent,
  taskIn,
} from './requests/prompts.ts';

/** What a program was made from, and how. */
export type Cause = {
  readonly kind: 'initial' | 'injected' | 'rescored' | 'seed' | 'child';
  /** Its parent; for a seed of an island the initial program. */
  readonly from: ProgramId | null;
  /** The model that wrote it, by its name in the settings. */
  readonly model: string | null;
  readonly words: string;
};

const scoredAgain = (of: ProgramId | null): string =>
  of === null
    ? 'the initial program of the new version of the task'
    : `scored again by the new version of the task: ${of}`;

/** By program. */
export const readCauses = async (
  store: Pick<Store, 'getDeltas' | 'getRollouts'>,
  programs: readonly ProgramDocument[],
): Promise<ReadonlyMap<ProgramId, Cause>> => {
  const rollouts = await store.getRollouts(programs.map(({ _id }) => _id));
  // A seed has no parent in the population, and what its edits changed is stored with them.
  const seeds = await store.getDeltas(programs.flatMap(({ _id, founder }) => (founder === true ? [_id] : [])));
  return new Map(
    programs.map(({ _id, step, island, parents: [parent], founder, rescored }): [ProgramId, Cause] => {
      const model = rollouts.get(_id)?.asked ?? rollouts.get(_id)?.model ?? null;
      const from = parent ?? seeds.get(_id)?.parent ?? null;
      const written = model === null ? 'made' : `written by ${model}`;
      if (parent !== undefined) return [_id, { kind: 'child', from, model, words: `${written} from ${parent}` }];
      const seed = `a seed of island ${island}, ${written} from the initial program`;
      if (founder === true) return [_id, { kind: 'seed', from, model, words: seed }];
      if (rescored !== undefined)
        return [_id, { kind: 'rescored', from: rescored.of, model, words: scoredAgain(rescored.of) }];
      return step === 0
        ? [_id, { kind: 'initial', from, model, words: 'the program that the run began with' }]
        : [_id, { kind: 'injected', from, model, words: 'put in by a person' }];
    }),
  );
};

export type Origin = {
  readonly cause: Cause;
  readonly delta: {
    readonly reason: string | null;
    readonly blocks: number;
    readonly duplicateOf: ProgramId | null;
    readonly unmatched: NonNullable<ProgramDocument['edits']>;
    readonly ambiguous?: ProgramDocument['edits'];
    readonly lines?: { readonly deleted: readonly string[] };
  } | null;
  readonly model: string | null;
  /** The version of a model that is trained, where such a one answered. */
  readonly policy: string | null;
  readonly finishReason: string | null;
  /** The usage of the response, with its share of the prompt. */
  readonly usage: Usage | null;
  /** Null where the price of the model is not known. */
  readonly costUsd: number | null;
  /** The estimate for requests for its response that had no answer. */
  readonly unanswered: UnansweredSum | null;
  /** What it was made from; `gain` is the program's advantage, null where either is not ranked. */
  readonly parentScores: readonly {
    readonly id: ProgramId;
    readonly score: number | null;
    readonly strictScore: number | null;
    readonly gain: number | null;
  }[];
  readonly shown: readonly { readonly id: string; readonly role: string }[];
  /** The calls before the program, and the request for it. */
  readonly stages: readonly StageSent[];
  readonly texts: { readonly response: string | null; readonly reasoning: string | null };
  /** How its answer begins, where that is no code; null where it has no such words. */
  readonly said: string | null;
  /** The limits that held when it ran; null where they are not known. */
  readonly limits: PromptLimits | null;
  /** The task's; null where it cannot be read. */
  readonly direction: Direction | null;
};

export const readOrigin = async (store: Store, { program }: ProgramTexts): Promise<Origin> => {
  const id = program._id;
  const rollout = (await store.getRollouts([id])).get(id) ?? null;
  const [paid] = rollout === null ? [] : await answersOf(store, [id]);
  const delta = (await store.getDeltas([deltaIdOf(program)])).get(deltaIdOf(program)) ?? null;
  const prompt = await promptBehind(store, program);
  const stages = prompt === null ? await initialJudgement(store, program) : await stagesSent(store, prompt, [id]);
  const refs = [rollout?.response, rollout?.reasoning].map((ref) => ref ?? null);
  const cause = (await readCauses(store, [program])).get(id)!;
  const parents = await store.getPrograms(cause.from === null ? program.parents : [cause.from]);
  const lost = (await store.unanswered(program.run)).bookings.filter(({ answer }) => answer === id);
  const texts = await store.getTexts(refs.filter((ref) => ref !== null));
  const [response, reasoning] = refs.map((ref) => (ref === null ? null : (texts.get(ref) ?? null)));
  const run = await store.readRun(program.run);
  const task =
    run === null
      ? null
      : await taskIn(store, { ...run, ...taskAt(run, program.step) }, await versionOf(store, run, program));
  const said =
    run === null || rollout === null ? null : ((await wordsBehind(store, [id], run.config.diff)).get(id) ?? null);
  return {
    cause,
    delta,
    model: rollout?.model ?? null,
    policy: rollout?.policy ?? null,
    finishReason: rollout?.finishReason ?? null,
    usage: paid?.usage ?? null,
    costUsd: paid?.costUsd === 0 && run !== null && !isPriced(run.config) ? null : (paid?.costUsd ?? 0),
    unanswered: unansweredBy('step', lost).get(program.step) ?? null,
    parentScores: [...parents.values()].map((parent) => scoresBeside(program, parent)),
    shown:
      prompt === null ? [] : [...prompt.priorPrograms.map((id) => ({ id, role: 'prior' })), ...(prompt.context ?? [])],
    stages,
    texts: { response: response ?? null, reasoning: reasoning ?? null },
    said,
    limits: limitsOf(task),
    direction: task?.direction ?? null,
  };
};

/** The version of the settings under which a program was made; of one that is not committed, the newest. */
const versionOf = async (store: Store, run: RunDocument, { step }: ProgramDocument): Promise<number> => {
  for await (const made of store.eachStep(run.run, step))
    return made.step === step ? made.configVersion : run.configVersion;
  return run.configVersion;
};

const scoresBeside = (
  { fit, rescored }: ProgramDocument,
  { _id, score, strictScore, fit: parentFit }: ProgramDocument,
): Origin['parentScores'][number] => ({
  id: _id,
  score,
  strictScore,
  // Scores of two versions of the task do not compare.
  gain: fit === undefined || parentFit === undefined || rescored !== undefined ? null : fit - parentFit,
});
