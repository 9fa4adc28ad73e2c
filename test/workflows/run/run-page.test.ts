// What people see of a run in the Temporal UI, on a real server with played activities: the attributes of its rows, and
// the current details of its pages, asked for as the UI asks for them.
import { describe, expect, it } from 'vitest';
import { conductorWorld } from '../../support/conductor.ts';

const world = conductorWorld();

const LIMITS = { steps: 2, programs: null, tokens: null, costUsd: null, wallSeconds: null, targetScore: null };
const AT = Date.UTC(2026, 10, 20, 9, 30);
const committed = (step: number, best: object | null, changes: object = {}) => ({
  step,
  generation: 1,
  totals: { programs: step, valid: step, failures: {}, tokens: { in: 0, out: 0 }, costUsd: 0.25, sinceBest: 0 },
  best,
  paid: { tokens: 700, costUsd: 0.25, programs: step },
  populationSize: 1,
  evaluationMs: null,
  committedAtMs: AT + step * 60_000,
  ...changes,
});
const best = (program: string, score: number) => ({ program, score, strictScore: score - 0.25, step: 1 });

describe('the row of a run', () => {
  it('has what a table needs', async () => {
    const cast = world.cast(
      'row',
      {},
      { commitStep: ({ step }) => committed(step, best('row:000001:0:000001', 1.5)) },
      { model: 'no language model', seed: 42, limits: LIMITS, best: best('row:000000:0:000000', 1), improvedAtMs: AT },
    );
    const handle = await world.start(cast);
    await handle.result();
    const { searchAttributes } = await handle.describe();
    expect(searchAttributes).toMatchObject({
      EvoModel: ['no language model'],
      EvoSeed: [42],
      EvoPolicy: ['-'],
      EvoBestScore: [1.5],
      EvoStrictScore: [1.25],
      EvoLastCommit: [new Date(AT + 120_000)],
      EvoLastImprovement: [new Date(AT + 60_000)],
    });
  });

  it('has no score where the run has none any more', async () => {
    const plays = { commitStep: ({ step }: { step: number }) => committed(step, null) };
    const had = { limits: LIMITS, best: best('gone:000000:0:000000', 1), improvedAtMs: AT };
    const handle = await world.start(world.cast('gone', {}, plays, had));
    await handle.result();
    const { searchAttributes } = await handle.describe();
    expect(searchAttributes).toMatchObject({ EvoModel: ['m'], EvoStep: [2] });
    expect(Object.keys(searchAttributes)).not.toContain('EvoBestScore');
    expect(Object.keys(searchAttributes)).not.toContain('EvoStrictScore');
  });
});
