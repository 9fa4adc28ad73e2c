// What the population bench measures is a run like any other: its steps hold up to a rebuild.
import { expect, it } from 'vitest';
import { rebuildRun } from '../../../activities/rebuild/rebuild.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { uniqueShareOf } from './population-content.ts';
import { createGrowing, fill, growerOver, PER_STEP, readRun, takeStep } from './population-step.ts';

it('grows a run of distinct programs by whole steps, repeats aside', async () => {
  const store = memoryStore();
  const grower = growerOver({ store, sandbox: store });
  await createGrowing(grower, 'r', 600);
  await fill(grower, 'r', PER_STEP);
  await takeStep(grower, 'r');

  const { totals, population } = await readRun(grower, 'r');
  expect(totals.programs).toBeGreaterThanOrEqual(2 * PER_STEP);
  // Of 64 answers one repeats its parent; another says what its neighbour said and is a program of the same code.
  expect(totals.failures).toEqual({ duplicate: expect.any(Number) });
  expect(population.size).toBe(600);
  const alive = await store.getPrograms([...(await store.population('r')).members.keys()]);
  expect(uniqueShareOf(alive.values())).toBe(1);
  expect(await rebuildRun({ store, loadTask: grower.loadTask }, 'r')).toMatchObject({ differenceCount: 0 });
});

it('tells a share of repeated code', () => {
  expect(uniqueShareOf([{ normHash: 'a' }, { normHash: 'a' }, { normHash: 'b' }, { normHash: 'c' }])).toBe(0.75);
});
