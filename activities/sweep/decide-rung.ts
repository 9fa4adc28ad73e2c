// Activity `decideRung`: successive halving. Ranks the configurations that are still in the sweep by their best score at equal numbers of
// programs, stores the decision once and marks the losers' runs.
import { survivors } from '../../evolution/sweep/halving.ts';
import { checkSweep } from '../../evolution/sweep/spec.ts';
import type { Task } from '../../evolution/task.ts';
import type { SweepActivities } from '../interface.ts';
import { missing } from '../step-summary.ts';
import type { RungDecision, SweepDocument } from '../store/documents.ts';
import type { Store } from '../store/store.ts';

export type DecideRungDeps = { readonly store: Store; readonly loadTask: (id: string) => Promise<Task> };

export const createDecideRung = ({ store, loadTask }: DecideRungDeps): Pick<SweepActivities, 'decideRung'> => ({
  async decideRung({ sweep: name, programs }) {
    const sweep = await store.readSweep(name);
    if (!sweep) throw missing(`sweep ${name}`);
    const decision = sweep.decisions.find((made) => made.programs === programs) ?? await decide(store, loadTask, sweep, programs);
    const { ranking } = decision;
    for (const { run, group } of sweep.runs.filter((one) => decision.stopped.includes(one.group))) {
      const rank = ranking.findIndex((one) => one.group === group) + 1;
      if ((await store.readRun(run))?.status === 'finished') continue;
      await store.setStatus(run, 'stopped', { stopReason: `sweep ${name}: rank ${rank} of ${ranking.length} configurations at ${programs} programs` });
    }
    return decision.stopped;
  },
});

const decide = async (store: Store, loadTask: DecideRungDeps['loadTask'], sweep: SweepDocument, programs: number): Promise<RungDecision> => {
  const { stopWhen } = checkSweep(sweep.spec);
  const out = new Set(sweep.decisions.flatMap(({ stopped }) => stopped));
  const scores = new Map<number, number[]>();
  for (const { run, group } of sweep.runs.filter((one) => !out.has(one.group))) {
    const score = await bestAt(store, run, programs);
    scores.set(group, [...scores.get(group) ?? [], ...(score === null ? [] : [score])]);
  }
  const first = await store.readRun(sweep.runs[0]!.run);
  const { direction } = await loadTask(first!.config.task);
  const means = [...scores].map(([group, list]) => ({ group, score: list.length === 0 ? null : list.reduce((a, b) => a + b, 0) / list.length }));
  const { ranking, stopped } = survivors(means, stopWhen?.halving.factor ?? 2, direction);
  const decision: RungDecision = { programs, ranking, stopped };
  await store.setSweep(sweep._id, { decisions: [...sweep.decisions, decision] });
  return decision;
};

/** Best score among the first so many programs of a run: a run that is further along is looked at as it was then. */
const bestAt = async (store: Store, run: string, programs: number): Promise<number | null> => {
  let best: number | null = null;
  for await (const step of store.eachStep(run)) {
    if (step.totals.programs > programs) break;
    best = step.best?.score ?? best;
  }
  return best;
};
