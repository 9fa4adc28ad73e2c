// The words of models in the course of a run, summed up for the views of deltas, prompts and ideas.
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import type { ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { groupOf } from '../../../evolution/schedule/slots.ts';
import type { ProgramId } from '../../../evolution/types.ts';
import { DeltaSums } from '../../api/program/deltas.ts';
import { type JudgedProgram, IdeaSums, PromptSums } from '../../api/program/prompts.ts';
import { ReadOn } from './read-on.ts';

type Reading = {
  readonly deltas: DeltaSums;
  readonly prompts: PromptSums;
  readonly ideas: IdeaSums;
  /** By program; a gain needs that of the parent. */
  readonly fits: Map<ProgramId, number>;
  next: number;
};

const begin = (): Reading => ({
  ...{ deltas: new DeltaSums(), prompts: new PromptSums(), ideas: new IdeaSums() },
  ...{ fits: new Map(), next: 0 },
});

const readOn = async (one: Reading, store: Store, { run, committedStep, totals }: RunDocument): Promise<void> => {
  if (one.next > committedStep) return;
  const from = one.next;
  // Settings may change the size of groups.
  const responses = new Map<number, number>();
  if (totals.rounds !== undefined)
    for await (const { run: owner, step, configVersion } of store.eachStep(run, from))
      responses.set(step, (await store.readConfig(owner, configVersion)).responses);
  for await (const program of store.eachProgram(run, { fromStep: from })) {
    if (program.step > committedStep) break;
    count(one, program, groupOf(program.slot, responses.get(program.step) ?? 1));
  }
  one.next = committedStep + 1;
};

const count = ({ fits, deltas, prompts, ideas }: Reading, document: ProgramDocument, group: number): void => {
  const { _id: program, step, island, outcome, score, fit = null, change, idea, prompt } = document;
  if (fit !== null) fits.set(program, fit);
  const before = fits.get(document.parents[0] ?? '');
  const gain = fit === null || before === undefined ? null : fit - before;
  const asked: JudgedProgram = { program, step, group, island, outcome, score, fit, gain };
  if (change !== undefined) deltas.add({ program, delta: change, gain });
  if (prompt !== undefined) prompts.add(asked, prompt);
  // The initial idea comes with the task, and no gate decides on it.
  if (idea !== undefined && step > 0) ideas.add(asked, idea);
};

/** Sums of few runs are kept, because they hold a number for each valid program. */
export const narrationOf = new ReadOn<Reading>({ most: 2, begin, readOn });
