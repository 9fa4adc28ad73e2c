// Lines that edits added and that came back, summed over a run. Called by the commit and the rebuild.
import type { ProgramDocument, RunTotals } from './store/documents.ts';

/** Nothing where no program of the run has counted lines: runs of earlier versions. */
export const linesAfter = (before: Pick<RunTotals, 'lines'>, programs: readonly ProgramDocument[]): Pick<RunTotals, 'lines'> => {
  const counted = programs.flatMap(({ lines }) => lines ?? []);
  if (counted.length === 0) return before.lines === undefined ? {} : { lines: before.lines };
  return { lines: counted.reduce((sum, { added, reintroduced }) => ({
    added: sum.added + added, reintroduced: sum.reintroduced + reintroduced,
  }), before.lines ?? { added: 0, reintroduced: 0 }) };
};
