// Tokens that no endpoint counted: estimated, summed with the rest, and told apart wherever sums are shown.
import { expect, it } from 'vitest';
import { rebuildRun } from '../../../activities/rebuild/rebuild.ts';
import { compareStored } from '../../../client/read/compare.ts';
import { runReport } from '../../../client/read/report.ts';
import { usageOf } from '../../../client/read/usage.ts';
import { research, run } from '../../support/worlds/research-world.ts';

it('answers without a usage count with an estimate, which usage, status and compare tell apart', async () => {
  const world = research({ uncounted: true });
  await world.play(2);
  const document = await world.document();
  const usage = await usageOf(world.store, document);
  // Two ideas, two judgements, two programs, and the judgement of the initial idea.
  expect(usage.estimated.answers).toBe(7);
  expect(usage.estimated.tokens).toBe(usage.total.tokens.in + usage.total.tokens.out);
  expect(usage.estimated.tokens).toBeGreaterThan(1_000);
  expect(usage.total.costUsd).toBeGreaterThan(0);
  expect(runReport(document, new Date(), null).estimated).toEqual(usage.estimated);
  expect((await compareStored(world.store, [document], 1)).report.notes).toContainEqual(
    expect.stringContaining(`about ${usage.estimated.tokens} tokens of run ${run}`),
  );
  expect(await rebuildRun({ store: world.store, loadTask: world.task }, run)).toMatchObject({ differences: [] });
});

it('answers with a usage are not estimated', async () => {
  const world = research();
  await world.play(1);
  const document = await world.document();
  expect((await usageOf(world.store, document)).estimated).toEqual({ answers: 0, tokens: 0 });
  expect(document.totals).not.toHaveProperty('estimated');
});
