// The words of models in the course of a run, summed up once for the views of deltas, prompts and ideas. A run's
// programs are read from its beginning when somebody first looks, and from there on only those that are new.
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import type { ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { groupsOf } from '../../../client/read/requests/prompt-places.ts';
import { styleOf } from '../../../evolution/config/styles.ts';
import { promptId, stageId } from '../../../evolution/ids.ts';
import { groupOf } from '../../../evolution/schedule/slots.ts';
import type { ProgramId } from '../../../evolution/types.ts';
import { DeltaSums } from '../../api/program/deltas.ts';
import { type JudgedProgram, IdeaSums, PromptSums } from '../../api/program/prompts.ts';

export type NarrationSums = {
  readonly deltas: DeltaSums;
  readonly prompts: PromptSums;
  readonly ideas: IdeaSums;
  /** The gain of a program over its parent; null where one of them has no score. */
  readonly gainOf: (program: Pick<ProgramDocument, 'fit' | 'parents'>) => number | null;
};

type Reading = {
  readonly sums: NarrationSums;
  /** By program; a gain needs that of the parent. */
  readonly fits: Map<ProgramId, number>;
  next: number;
  reading: Promise<void>;
};

/** Sums of more runs are forgotten, the longest unused first, because they hold a number for each valid program. */
const MOST_RUNS = 2;

const kept = new WeakMap<Store, Map<string, Reading>>();

/** A rewind, or a step that is begun again, makes another one of a run, which is read from its beginning. */
const nameOf = ({ run, generation, epochs }: RunDocument): string => `${run} ${generation} ${epochs.length}`;

export const narrationOf = async (store: Store, document: RunDocument): Promise<NarrationSums> => {
  const runs = kept.get(store) ?? new Map<string, Reading>();
  kept.set(store, runs);
  const name = nameOf(document);
  const one = runs.get(name) ?? begun();
  runs.delete(name);
  runs.set(name, one);
  for (const old of [...runs.keys()].slice(0, -MOST_RUNS)) runs.delete(old);
  // One after the other, so that no program is counted twice.
  const reading = one.reading.then(() => readOn(store, document, one));
  one.reading = reading.catch(() => {
    // Sums over a part would count it twice, so they are forgotten.
    runs.delete(name);
  });
  await reading;
  return one.sums;
};

const begun = (): Reading => {
  const fits = new Map<ProgramId, number>();
  const gainOf: NarrationSums['gainOf'] = ({ fit, parents: [parent] }) => {
    const before = parent === undefined ? undefined : fits.get(parent);
    return fit === undefined || before === undefined ? null : fit - before;
  };
  const sums = { deltas: new DeltaSums(), prompts: new PromptSums(), ideas: new IdeaSums(), gainOf };
  return { sums, fits, next: 0, reading: Promise.resolve() };
};

const readOn = async (
  store: Store,
  { run, config, committedStep, totals }: RunDocument,
  one: Reading,
): Promise<void> => {
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
  if (styleOf(config).asksForDelta)
    for await (const { run: owner, step, epoch, stream, configVersion } of store.eachStep(run, Math.max(1, from))) {
      if (step > committedStep) break;
      const groups = stream?.groups ?? groupsOf(await store.readConfig(owner, configVersion));
      const ids = groups.map((group) => promptId(owner, stream?.first ?? step, epoch, group));
      const prompts = [...(await store.getPrompts(ids)).values()];
      const later = prompts.filter(({ first }) => first !== undefined).map(({ _id }) => stageId(_id, 'program'));
      const requests = later.length === 0 ? [] : (await store.getRequests(later)).values();
      for (const { disclosed } of [...prompts, ...requests])
        if (disclosed !== undefined) one.sums.deltas.addPrompt(disclosed);
    }
  one.next = committedStep + 1;
};

const count = ({ sums, fits }: Reading, document: ProgramDocument, group: number): void => {
  const { _id: program, step, island, outcome, score, fit = null, change, idea, prompt } = document;
  if (fit !== null) fits.set(program, fit);
  const gain = sums.gainOf(document);
  const asked: JudgedProgram = { program, step, group, island, outcome, score, fit, gain };
  if (change !== undefined) sums.deltas.add({ program, delta: change, gain });
  if (prompt !== undefined) sums.prompts.add(asked, prompt);
  // The initial idea comes with the task, and no gate decides on it.
  if (idea !== undefined && step > 0) sums.ideas.add(asked, idea);
};
