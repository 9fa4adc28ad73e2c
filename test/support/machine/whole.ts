// That nothing is lost and nothing is there twice: what every test of an accident asks at its end.
import { expect } from 'vitest';
import { rebuildRun } from '../../../activities/rebuild/rebuild.ts';
import { collect } from '../../activities/store/fixtures.ts';
import type { Store } from '../../../activities/store/store.ts';
import { taskLoader } from '../../../activities/task/kept-task.ts';

export type Made = {
  readonly id: string;
  readonly step: number;
  readonly slot: number;
  readonly outcome: string;
  readonly score: number | null;
  readonly parents: readonly string[];
  readonly island: number;
  readonly code: string | null;
};

/**
 * Every program exists once, the slots of each step are contiguous, and a rebuild finds no difference. Returns the
 * programs.
 */
export const expectWhole = async (
  store: Store,
  run: string,
  wanted: { readonly steps: number; readonly perStep: number },
): Promise<readonly Made[]> => {
  const documents = await collect(store.eachProgram(run, { fromStep: 1 }));
  expect(new Set(documents.map(({ _id }) => _id)).size).toBe(documents.length);
  expect(documents.map(({ step, slot }) => [step, slot])).toEqual(
    Array.from({ length: wanted.steps }, (_, index) => index + 1).flatMap((step) =>
      Array.from({ length: wanted.perStep }, (_, slot) => [step, slot]),
    ),
  );
  expect(await rebuildRun({ store, loadTask: taskLoader(store) }, run)).toMatchObject({
    differenceCount: 0,
    differences: [],
    programs: documents.length + 1,
  });
  const texts = await store.getTexts([...new Set(documents.flatMap(({ code }) => code ?? []))]);
  return documents.map(({ _id, step, slot, outcome, score, parents, island, code }) => ({
    id: _id,
    step,
    slot,
    outcome,
    score,
    parents,
    island,
    code: code === null ? null : (texts.get(code) ?? null),
  }));
};

/** What of a program does not depend on the run that made it. */
export const factsOf = (programs: readonly Made[]): readonly object[] =>
  programs.map(({ id: _id, parents, ...facts }) => ({
    ...facts,
    parents: parents.map((parent) => parent.split(':').slice(1).join(':')),
  }));
