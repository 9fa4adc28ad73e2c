// What the evaluator of a function task draws its data from: who gets the same draws, and who gets others.
// Attempts: programs and scores.
import { describe, expect, test } from 'vitest';
import { listTasks, loadTask } from '../../../activities/task/load-task.ts';
import type { Conversation } from '../../../activities/sandbox/contract/types.ts';
import { createEvaluator } from '../../../activities/sandbox/host/evaluator.ts';
import { createFakeSandbox } from '../../doubles/fake-sandbox.ts';
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

describe('the tasks of this project', () => {
  test('draw their data wherever a program is called, and from the long key', async () => {
    const tasks = await Promise.all((await listTasks()).map((id) => loadTask(id)));
    const called = tasks.filter(({ kind }) => kind === 'function');
    expect(called.length).toBeGreaterThan(6);
    for (const { id, data, library = [], evaluatorSource } of called) {
      expect([id, data]).toEqual([id, 'drawn']);
      expect(library.map(({ name }) => name)).toContain('draws');
      expect(evaluatorSource).not.toContain('hidden_seed');
    }
  });
  test('tell the evaluator the key, and the container of the program nothing of it', async () => {
    const task = await loadTask('online-bin-packing');
    const told: { readonly [side: string]: string[] } = { program: [], evaluator: [] };
    const fake = createFakeSandbox(() => ({}));
    const evaluator = createEvaluator({
      task,
      hidden: draw,
      sandbox: {
        ...fake,
        converse: async (given, talk, signal) => {
          told['program']!.push(JSON.stringify(given));
          await talk({} as Conversation, null);
          return fake.run({ ...given, acceptSavedOnTimeout: false }, signal);
        },
      },
      scorer: {
        score: async () => {
          throw new Error('unused');
        },
        judge: async ({ extra }) => {
          told['evaluator']!.push(JSON.stringify(extra));
          return { valid: true, score: 1, strictScore: 1, metrics: {}, reasons: [], failure: null };
        },
        close: async () => undefined,
      },
      gate: { check: async (sources) => sources.map(() => null), close: async () => undefined },
    });
    const once = (code: string, more: object = {}) =>
      evaluator.evaluate(
        { key: 'k', run: 'r', code, seed: 42, acceptSavedOnTimeout: false, scoring: 'tolerant', ...more },
        new AbortController().signal,
      );
    await once('x = 1');
    await once('x = 1  # copy', { run: 'fork', draws: 'r' });
    const { hidden_key, hidden_seed } = draw({ ...task, data: 'drawn' }, { run: 'r', code: 'any' });
    expect(told['evaluator']).toEqual(Array(2).fill(JSON.stringify({ seed: 42, hidden_key, hidden_seed })));
    for (const given of told['program']!) {
      expect(given).not.toContain(hidden_key);
      expect(given).not.toContain(String(hidden_seed));
      expect(given).not.toContain('hidden');
    }
  });
});
