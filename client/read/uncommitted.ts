// What steps have made that are not committed yet: the programs, and a sum of them for lists.
import type { RunDocument, Uncommitted } from '../../activities/store/documents/documents.ts';
import type { ProgramDocument } from '../../activities/store/documents/step-documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { withTrackers } from '../../activities/store/upkeep/tracking.ts';
import { hasEnded } from '../../evolution/run-states.ts';
import { asFit, rankingScore } from '../../evolution/scoring/ranking.ts';
import type { ProgramId } from '../../evolution/types.ts';
import { taskOf } from '../connect/loaded-late.ts';

/** Those that have an outcome, in the order of steps and slots. */
export const uncommittedOf = async (store: Store, run: RunDocument): Promise<readonly ProgramDocument[]> => {
  const underWay = await store.underWay(run);
  if (underWay.length === 0) return [];
  const { uncommittedPrograms } = await import('../../activities/step/commit/uncommitted.ts');
  const { direction } = await taskOf(store, run);
  return uncommittedPrograms(store, run, direction, underWay);
};

/** Null where there is no such program that is not committed. */
export const uncommittedProgram = async (store: Store, id: ProgramId): Promise<ProgramDocument | null> => {
  const run = await store.readRun(id.split(':')[0]!);
  return run === null ? null : ((await uncommittedOf(store, run)).find(({ _id }) => _id === id) ?? null);
};

/** The documents of runs with the sums of what their open steps have made, and with the trackers that fail for them. */
export const withUncommitted = async (store: Store, runs: readonly RunDocument[]): Promise<readonly RunDocument[]> =>
  Promise.all(
    (await withTrackers(store, runs)).map(async (run) => {
      if (hasEnded(run) || run.status === 'queued') return run;
      const uncommitted = await sumOf(store, run);
      return uncommitted === null ? run : { ...run, uncommitted };
    }),
  );

const sumOf = async (store: Store, run: RunDocument): Promise<Uncommitted | null> => {
  const programs = await uncommittedOf(store, run);
  if (programs.length === 0) return null;
  const { direction } = await taskOf(store, run);
  const before =
    run.best === null ? -Infinity : asFit(rankingScore(run.best, run.config.evaluation.scoring), direction);
  const best = programs
    .filter(({ fit = -Infinity }) => fit > before)
    .toSorted((a, b) => b.fit! - a.fit!)
    .map(({ _id: program, score, strictScore, step }) => ({ program, score: score!, strictScore, step }))[0];
  return {
    programs: programs.length,
    valid: programs.filter(({ outcome }) => outcome === 'valid').length,
    best: best ?? null,
  };
};
