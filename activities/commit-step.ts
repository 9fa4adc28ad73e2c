// Activity `commitStep`: inserts the step's children in slot order, migrates when due and moves the run's commit point, as one
// stored change set. A retry repeats the stored set, never the computation.
import { commitStep as changeSetOf } from '../evolution/insertion.ts';
import type { RunConfig } from '../evolution/config/run-config.ts';
import type { Task } from '../evolution/task.ts';
import type { ChangeSet } from '../evolution/types.ts';
import { sumUsage } from '../evolution/usage.ts';
import { childOf } from './child-of.ts';
import type { StoreActivities } from './interface.ts';
import { humanGoal } from './human-goal.ts';
import { linesAfter } from './lines-total.ts';
import { roundsAfter } from './rounds-total.ts';
import { judgedInitialIdea } from './initial-idea.ts';
import { judgesInitialIdea } from './stages/stage.ts';
import { programDocuments } from './program-documents.ts';
import { stepMade } from './step-made.ts';
import type { BestProgram, EmbeddingDocument, ProgramDocument, RolloutDocument, RunTotals } from './store/documents.ts';
import type { Store } from './store/store.ts';
import { missing, summarise, summaryOf } from './step-summary.ts';

export type CommitStepDeps = { readonly store: Store; readonly loadTask: (id: string) => Promise<Task> };

export const createCommitStep = ({ store, loadTask }: CommitStepDeps): Pick<StoreActivities, 'commitStep'> => ({
  async commitStep({ run, step, epoch, version, generation, injected, omitted, unrepaired = [], next }) {
    const document = await store.readRun(run);
    if (!document) throw missing(`run ${run}`);
    const config = await store.readConfig(run, version);
    const task = await loadTask(config.task);
    if (document.committedStep >= step && document.generation === generation) {
      const done = await summaryOf(store, document, step, generation);
      return { ...done, ...humanGoal(done.best, document.config, task) };
    }
    const going = { ...document, config };
    const made = await stepMade({ store, run: going, step, epoch, injected, omitted, unrepaired });
    const documents = await programDocuments({ store, made, run: going, direction: task.direction, epoch, generation });
    const programs = step > 0 || !judgesInitialIdea(config) ? documents : await Promise.all(documents.map(async (program) =>
      ({ ...program, idea: await judgedInitialIdea(store, made.calls, { task, config, baseline: program.score }) })));
    const changeSet = changeSetOf({ population: await store.population(run), children: programs.map(childOf), step, settings: config });
    const best = bestAfter(document.best, programs, task, step, config);
    const committed = await store.commit({
      run, step, epoch, generation, configVersion: version, changeSet, programs: settled(programs, changeSet),
      totals: {
        ...totalsAfter(document.totals, programs, [...made.rollouts, ...made.calls, ...made.embedded.map(asPaid)], best === document.best ? null : best),
        ...roundsAfter({ before: document.totals, programs, evaluations: made.evaluations, config }),
      },
      best, ...(next === undefined ? {} : { next }),
    });
    const times = [...made.evaluations.values()].map((evaluation) => evaluation.wallMs);
    return { ...summarise(committed, step, times.length === 0 ? null : times.reduce((a, b) => a + b, 0) / times.length), ...humanGoal(best, committed.config, task) };
  },
});

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
