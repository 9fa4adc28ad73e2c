// The small summary of a committed step that goes back to the workflow, and the error for content that ought to be there.
import { ApplicationFailure } from '@temporalio/activity';
import type { StepSummary } from './interface.ts';
import type { RunDocument } from './store/documents.ts';
import { paidSoFar } from './store/paid.ts';
import type { Store } from './store/store.ts';

export const missing = (what: string): ApplicationFailure =>
  ApplicationFailure.create({ message: `expected ${what} in the store, found none`, type: 'Missing' });

export const summarise = (document: RunDocument, step: number, evaluationMs: number | null): StepSummary => {
  const { totals, best, population, generation } = document;
  return { step, generation, totals, best, paid: paidSoFar(document), populationSize: population.size, evaluationMs };
};

/** Summary of a step that an earlier attempt committed. */
export const summaryOf = async (store: Store, document: RunDocument, step: number, generation: number): Promise<StepSummary> => {
  const committed = await store.readStep(document.run, step, generation);
  if (!committed) throw missing(`the commit of step ${step}, generation ${generation}, of run ${document.run}`);
  return summarise({ ...document, totals: committed.totals, best: committed.best, population: committed.population }, step, null);
};
