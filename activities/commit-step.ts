// Activity `commitStep`: inserts the step's children in slot order, migrates when due and moves the run's commit point, as one
// stored change set. A retry repeats the stored set, never the computation.
import { commitStep as changeSetOf } from '../evolution/insertion.ts';
import { programId, promptId } from '../evolution/ids.ts';
import type { RunConfig } from '../evolution/config/run-config.ts';
import type { Task } from '../evolution/task.ts';
import type { ChangeSet, ProgramId } from '../evolution/types.ts';
import { sumUsage } from '../evolution/usage.ts';
import { childOf } from './child-of.ts';
import type { StoreActivities } from './interface.ts';
import { embeddingOf } from './llm/embedding-of.ts';
import { humanGoal } from './human-goal.ts';
import { linesAfter } from './lines-total.ts';
import { roundsAfter } from './rounds-total.ts';
import { isRefused, stagesMade } from './stages/made.ts';
import { isEvaluated, keyOf, programDocuments, type Made } from './program-documents.ts';
import type { BestProgram, DeltaDocument, EmbeddingDocument, ProgramDocument, PromptDocument, RolloutDocument, RunDocument, RunTotals } from './store/documents.ts';
import type { Store } from './store/store.ts';
import { missing, summarise, summaryOf } from './step-summary.ts';

export type CommitStepDeps = { readonly store: Store; readonly loadTask: (id: string) => Promise<Task> };

export const createCommitStep = ({ store, loadTask }: CommitStepDeps): Pick<StoreActivities, 'commitStep'> => ({
  async commitStep({ run, step, epoch, version, generation, injected, omitted }) {
    const document = await store.readRun(run);
    if (!document) throw missing(`run ${run}`);
    const config = await store.readConfig(run, version);
    const task = await loadTask(config.task);
    if (document.committedStep >= step && document.generation === generation) {
      const done = await summaryOf(store, document, step, generation);
      return { ...done, ...humanGoal(done.best, document.config, task) };
    }
    const going = { ...document, config };
    const made = await whatTheStepMade(store, going, step, epoch, { injected, omitted });
    const programs = await programDocuments({ store, made, run: going, direction: task.direction, epoch, generation });
    const changeSet = changeSetOf({ population: await store.population(run), children: programs.map(childOf), step, settings: config });
    const best = bestAfter(document.best, programs, task, step, config);
    const committed = await store.commit({
      run, step, epoch, generation, configVersion: version, changeSet, programs: settled(programs, changeSet),
      totals: {
        ...totalsAfter(document.totals, programs, [...made.rollouts, ...made.calls, ...made.embedded.map(asPaid)], best === document.best ? null : best),
        ...roundsAfter({ before: document.totals, programs, evaluations: made.evaluations, config }),
      },
      best,
    });
    const times = [...made.evaluations.values()].map((evaluation) => evaluation.wallMs);
    return { ...summarise(committed, step, times.length === 0 ? null : times.reduce((a, b) => a + b, 0) / times.length), ...humanGoal(best, committed.config, task) };
  },
});

const whatTheStepMade = async (
  store: Store, { run, config, evaluatorDigest }: RunDocument, step: number, epoch: number,
  { injected, omitted }: { readonly injected: number; readonly omitted: readonly number[] },
): Promise<Made> => {
  const slots = step === 0 ? 0 : config.batch * config.responses;
  const left = new Set(omitted);
  const idsFrom = (first: number, count: number): ProgramId[] =>
    Array.from({ length: count }, (_, index) => first + index).filter((slot) => !left.has(slot)).map((slot) => programId(run, step, epoch, slot));
  const answered = idsFrom(0, slots);
  const ids = [...answered, ...idsFrom(slots, step === 0 ? 1 : injected)];
  const deltas = await inOrder(store.getDeltas(ids), ids, 'delta');
  const asked = answered.filter((_, index) => !isRefused(deltas[index]!));
  const rollouts = await inOrder(store.getRollouts(asked), asked, 'response');
  const embedded = config.embedding.model === null ? new Map<ProgramId, EmbeddingDocument>() : await store.getEmbeddings(ids);
  const embeddings = embeddingOf(deltas.filter(({ outcome }) => outcome === null), embedded);
  const keys = deltas.flatMap((delta) => (isEvaluated(delta, embeddings) ? [keyOf(delta, { run, evaluatorDigest, config })] : []));
  const groups = step === 0 ? [] : groupIds(run, step, epoch, config);
  const [evaluations, prompts, parents] = await Promise.all([
    store.getEvaluations([...new Set(keys)]),
    inOrder(store.getPrompts(groups), groups, 'prompt'),
    store.getPrograms([...new Set(deltas.flatMap((delta) => delta.parent ?? []))]),
  ]);
  const stages = await stagesMade(store, prompts);
  const promptOf = ({ slot }: DeltaDocument): PromptDocument | undefined => prompts[Math.floor(slot / config.responses)];
  return {
    deltas, rollouts, evaluations, embeddings, embedded: [...embedded.values()],
    calls: stages.calls, prompts, stagesOf: stages.made,
    islands: deltas.map((delta) => delta.island ?? promptOf(delta)?.island ?? 0),
    founders: new Set(deltas.flatMap((delta) => (delta.island === undefined && promptOf(delta)?.founding ? [delta._id] : []))),
    parentScores: new Map([...parents].map(([id, parent]) => [id, parent.score])),
    parentFits: new Map([...parents].map(([id, { fit }]) => [id, fit ?? null])),
  };
};

const groupIds = (run: string, step: number, epoch: number, config: RunConfig): string[] =>
  Array.from({ length: config.batch }, (_, group) => promptId(run, step, epoch, group));

const inOrder = async <T>(found: Promise<ReadonlyMap<string, T>>, ids: readonly string[], what: string): Promise<T[]> => {
  const map = await found;
  return ids.map((id) => map.get(id) ?? fail(missing(`${what} ${id}`)));
};
const fail = (error: Error): never => { throw error; };

/** With `childIsland: current` insertion decides the island that a child enters. */
const settled = (programs: readonly ProgramDocument[], { add }: ChangeSet): readonly ProgramDocument[] => {
  const homes = new Map(add.map(({ id, home }) => [id, home]));
  return programs.map((program) => ({ ...program, island: homes.get(program._id) ?? program.island }));
};

/** `best`: the program that became the best in this step, or null. */
const totalsAfter = (
  before: RunTotals, programs: readonly ProgramDocument[], paid: readonly Pick<RolloutDocument, 'usage' | 'costUsd'>[], best: BestProgram | null,
): RunTotals => {
  const tokens = sumUsage(paid.map(({ usage }) => usage), before.tokens);
  const costUsd = before.costUsd + sum(paid.map((one) => one.costUsd));
  if (programs[0]?.bornSeq === 0) return { ...before, tokens, costUsd };
  const failures: Record<string, number> = { ...before.failures };
  for (const { outcome } of programs) if (outcome !== 'valid') failures[outcome] = (failures[outcome] ?? 0) + 1;
  return {
    ...linesAfter(before, programs),
    programs: before.programs + programs.length,
    valid: before.valid + programs.filter((program) => program.outcome === 'valid').length,
    failures,
    tokens, costUsd,
    sinceBest: best === null ? before.sinceBest + programs.length : programs.length - 1 - programs.findIndex(({ _id }) => _id === best.program),
  };
};

/** An embedding as a call that reads only. */
const asPaid = ({ tokens, costUsd }: EmbeddingDocument): Pick<RolloutDocument, 'usage' | 'costUsd'> => ({ usage: { in: tokens, out: 0 }, costUsd });

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
