// What the evaluator of a function task draws its data from: who gets the same draws, and who gets others.
import { describe, expect, test } from 'vitest';
import { hiddenDraws } from '../../../activities/sandbox/host/hidden-draws.ts';

const SECRET = 's'.repeat(64);
const drawn = { evaluatorDigest: 'd', data: 'drawn' } as const;
const fixed = { evaluatorDigest: 'd' } as const;
const job = { run: 'r', code: 'x = 1' } as const;
const draw = hiddenDraws(SECRET);

describe('a task whose data are drawn', () => {
  test('draws from 256 bits, and the same ones for every program of a run: the text brings no luck', () => {
    const one = draw(drawn, job);
    expect(one.hidden_key).toMatch(/^[0-9a-f]{64}$/);
    expect(draw(drawn, { ...job, code: 'x = 1  # copy' })).toEqual(one);
    expect(hiddenDraws(SECRET)(drawn, job)).toEqual(one);
  });
  test('draws other data for another run, for a second look, for hidden instances, and in another data directory', () => {
    const all = [
      draw(drawn, job),
      draw(drawn, { ...job, run: 'other' }),
      draw(drawn, { ...job, redraw: 1 }),
      draw(drawn, { ...job, redraw: 2 }),
      draw(drawn, { ...job, holdout: true }),
      hiddenDraws('t'.repeat(64))(drawn, job),
    ];
    expect(new Set(all.map(({ hidden_key }) => hidden_key)).size).toBe(all.length);
    expect(new Set(all.map(({ hidden_seed }) => hidden_seed)).size).toBe(all.length);
  });
  test('a run that names the draws of another run has them', () => {
    expect(draw(drawn, { ...job, run: 'fork', draws: 'r' })).toEqual(draw(drawn, job));
  });
});

test('a task that does not say so keeps the seed of its text, as runs of earlier versions have it', () => {
  const { hidden_seed } = draw(fixed, job);
  expect(hidden_seed).toBe(347832395);
  expect(draw(fixed, { ...job, run: 'other' }).hidden_seed).toBe(hidden_seed);
  expect(draw(fixed, { ...job, code: 'x = 2' }).hidden_seed).not.toBe(hidden_seed);
  expect(draw(fixed, { ...job, redraw: 1 }).hidden_seed).not.toBe(hidden_seed);
});
