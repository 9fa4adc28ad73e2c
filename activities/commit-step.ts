// Activity `commitStep`: inserts the step's children in slot order, migrates when due and moves the run's commit point, as one
// stored change set. A retry repeats the stored set, never the computation.
import { commitStep as changeSetOf } from '../evolution/insertion.ts';
import { reward } from '../evolution/reward.ts';
import { bornSeq, programId, promptId } from '../evolution/ids.ts';
import type { RunConfig } from '../evolution/config/run-config.ts';
import type { Task } from '../evolution/task.ts';
import type { ChangeSet, Child, ProgramId } from '../evolution/types.ts';
import { evaluationKey } from './evaluation-key.ts';
import type { StoreActivities } from './interface.ts';
import type { BestProgram, DeltaDocument, EvaluationDocument, ProgramDocument, RolloutDocument, RunDocument, RunTotals } from './store/documents.ts';
import type { Store } from './store/store.ts';
import { missing, summarise, summaryOf } from './step-summary.ts';

export type CommitStepDeps = { readonly store: Store; readonly loadTask: (id: string) => Promise<Task> };

export const createCommitStep = ({ store, loadTask }: CommitStepDeps): Pick<StoreActivities, 'commitStep'> => ({
  async commitStep({ run, step, epoch, generation }) {
    const document = await store.readRun(run);
    if (!document) throw missing(`run ${run}`);
    if (document.committedStep >= step && document.generation === generation) return summaryOf(store, document, step, generation);
    const { config } = document;
    const task = await loadTask(config.task);
    const made = await whatTheStepMade(store, document, step, epoch);
    const programs = programDocuments(made, document, task, generation, epoch);
    const children = programs.map((program): Child => ({
      id: program._id, slot: program.slot, bornSeq: program.bornSeq, parent: program.parents[0] ?? null, island: program.island,
      outcome: program.outcome, length: program.length,
      ...(program.fit === undefined ? {} : { fit: program.fit }), ...(program.sameAs === undefined ? {} : { sameAs: program.sameAs }),
    }));
    const changeSet = changeSetOf({
      population: await store.population(run), children, step, settings: { population: config.population, migration: config.migration },
    });
    const committed = await store.commit({
      run, step, epoch, generation, changeSet, programs: settled(programs, changeSet),
      totals: totalsAfter(document.totals, programs, made.rollouts), best: bestAfter(document.best, programs, task, step, config),
    });
    const times = [...made.evaluations.values()].map((evaluation) => evaluation.wallMs);
    return summarise(committed, step, times.length === 0 ? null : times.reduce((a, b) => a + b, 0) / times.length);
  },
});

type Made = {
  readonly deltas: readonly DeltaDocument[];
  readonly rollouts: readonly RolloutDocument[];
  /** By evaluation key. */
  readonly evaluations: ReadonlyMap<string, EvaluationDocument>;
  readonly islands: readonly number[];
  readonly parentScores: ReadonlyMap<ProgramId, number | null>;
};

const whatTheStepMade = async (store: Store, { run, config, evaluatorDigest }: RunDocument, step: number, epoch: number): Promise<Made> => {
  const total = step === 0 ? 1 : config.batch * config.responses;
  const ids = Array.from({ length: total }, (_, slot) => programId(run, step, epoch, slot));
  const deltas = await inOrder(store.getDeltas(ids), ids, 'delta');
  const rollouts = step === 0 ? [] : await inOrder(store.getRollouts(ids), ids, 'response');
  const keys = deltas.flatMap((delta) => (delta.outcome === null ? [keyOf(delta, run, evaluatorDigest, config)] : []));
  const groups = step === 0 ? [] : groupIds(run, step, epoch, config);
  const [evaluations, prompts, parents] = await Promise.all([
    store.getEvaluations([...new Set(keys)]),
    inOrder(store.getPrompts(groups), groups, 'prompt'),
    store.getPrograms(step === 0 ? [] : [...new Set(deltas.map((delta) => delta.parent))]),
  ]);
  return {
    deltas, rollouts, evaluations,
    islands: deltas.map((delta) => prompts[Math.floor(delta.slot / config.responses)]?.island ?? 0),
    parentScores: new Map([...parents].map(([id, parent]) => [id, parent.score])),
  };
};

const groupIds = (run: string, step: number, epoch: number, config: RunConfig): string[] =>
  Array.from({ length: config.batch }, (_, group) => promptId(run, step, epoch, group));

const inOrder = async <T>(found: Promise<ReadonlyMap<string, T>>, ids: readonly string[], what: string): Promise<T[]> => {
  const map = await found;
  return ids.map((id) => map.get(id) ?? fail(missing(`${what} ${id}`)));
};
const fail = (error: Error): never => { throw error; };

const keyOf = (delta: DeltaDocument, run: string, evaluatorDigest: string, config: RunConfig): string =>
  evaluationKey({ run, normHash: delta.normHash ?? '', evaluatorDigest, seed: config.evaluation.seed });

const programDocuments = (made: Made, { run, config, evaluatorDigest }: RunDocument, task: Task, generation: number, epoch: number): ProgramDocument[] => {
  const firstWith = new Map<string, ProgramId>();
  return made.deltas.map((delta, index): ProgramDocument => {
    const key = delta.outcome === null ? keyOf(delta, run, evaluatorDigest, config) : null;
    const evaluation = key === null ? null : made.evaluations.get(key) ?? fail(missing(`evaluation ${key}`));
    const sameAs = key === null ? undefined : firstWith.get(key);
    if (key !== null && sameAs === undefined) firstWith.set(key, delta._id);
    const outcome = evaluation?.outcome ?? delta.outcome ?? 'no_solution';
    const ranked = outcome === 'valid' && evaluation ? rankingScore(evaluation, config) : null;
    return {
      _id: delta._id, run, step: delta.step, epoch, slot: delta.slot, generation, bornSeq: bornSeq(delta.step, delta.slot),
      parents: delta.step === 0 ? [] : [delta.parent], island: made.islands[index]!,
      outcome, reasons: evaluation?.reasons ?? (delta.reason === null ? [] : [delta.reason]),
      score: evaluation?.score ?? null, strictScore: evaluation?.strictScore ?? null,
      ...(ranked === null ? {} : { fit: task.direction === 'maximise' ? ranked : -ranked }),
      reward: reward({
        outcome, score: ranked, parentScore: made.parentScores.get(delta.parent) ?? null, direction: task.direction, settings: config.reward,
      }),
      code: delta.code, normHash: delta.normHash, length: delta.length, evaluation: key,
      ...(sameAs === undefined ? {} : { sameAs }),
    };
  });
};

/** With `childIsland: current` insertion decides the island that a child enters. */
const settled = (programs: readonly ProgramDocument[], { add }: ChangeSet): readonly ProgramDocument[] => {
  const homes = new Map(add.map(({ id, home }) => [id, home]));
  return programs.map((program) => ({ ...program, island: homes.get(program._id) ?? program.island }));
};

/** The score that ranks: tolerant by default, strict by `evaluation.scoring`. */
const rankingScore = (evaluation: EvaluationDocument, config: RunConfig): number | null =>
  config.evaluation.scoring === 'strict' ? evaluation.strictScore ?? evaluation.score : evaluation.score;

const totalsAfter = (before: RunTotals, programs: readonly ProgramDocument[], rollouts: readonly RolloutDocument[]): RunTotals => {
  if (programs[0]?.step === 0) return before;
  const failures: Record<string, number> = { ...before.failures };
  for (const { outcome } of programs) if (outcome !== 'valid') failures[outcome] = (failures[outcome] ?? 0) + 1;
  return {
    programs: before.programs + programs.length,
    valid: before.valid + programs.filter((program) => program.outcome === 'valid').length,
    failures,
    tokens: { in: before.tokens.in + sum(rollouts.map((r) => r.usage.in)), out: before.tokens.out + sum(rollouts.map((r) => r.usage.out)) },
    costUsd: before.costUsd + sum(rollouts.map((r) => r.costUsd)),
  };
};

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Best ever, by the ranking score; the earlier program keeps a tie. */
const bestAfter = (best: BestProgram | null, programs: readonly ProgramDocument[], task: Task, step: number, config: RunConfig): BestProgram | null => {
  const sign = task.direction === 'maximise' ? 1 : -1;
  const rank = (program: BestProgram): number => sign * (config.evaluation.scoring === 'strict' ? program.strictScore ?? program.score : program.score);
  let winner = best;
  for (const program of programs) {
    if (program.fit === undefined || program.score === null) continue;
    if (winner === null || program.fit > rank(winner)) winner = { program: program._id, score: program.score, strictScore: program.strictScore, step };
  }
  return winner;
};
