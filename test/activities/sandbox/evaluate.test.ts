// From execution and score to an evaluation, with fakes: outcomes, reasons, and what is never called.
import { describe, expect, test } from 'vitest';
import { InfrastructureError, type SandboxJob, type Score } from '../../../activities/sandbox/contract/types.ts';
import { createEvaluator, createNoopEvaluator } from '../../../activities/sandbox/host/evaluator.ts';
import { loadTask } from '../../../activities/task/load-task.ts';
import { timeLimitTold } from '../../../evolution/task/task.ts';
import { createFakeSandbox, type FakeAnswer } from '../../doubles/fake-sandbox.ts';

const task = await loadTask('circle-packing-square-26');
const good: Score = { valid: true, score: 2, strictScore: 1.5, metrics: {}, reasons: [] };
const solution = { circles: [] };

const evaluate = async (parts: {
  answer?: FakeAnswer | ((job: SandboxJob) => FakeAnswer);
  score?: Score;
  gate?: string | null;
  scoring?: 'tolerant' | 'strict';
}) =>
  createEvaluator({
    task,
    sandbox: createFakeSandbox((job) =>
      typeof parts.answer === 'function' ? parts.answer(job) : (parts.answer ?? { solution }),
    ),
    scorer: {
      score: async () => parts.score ?? good,
      judge: async () => {
        throw new Error('must not be asked');
      },
      close: async () => undefined,
    },
    gate: { check: async (sources) => sources.map(() => parts.gate ?? null), close: async () => undefined },
  }).evaluate(
    { key: 'k', run: 'r', code: 'code', seed: 42, acceptSavedOnTimeout: false, scoring: parts.scoring ?? 'tolerant' },
    new AbortController().signal,
  );

describe('evaluate', () => {
  test('a valid solution carries both scores and the solution as text', async () => {
    expect(await evaluate({})).toMatchObject({
      outcome: 'valid',
      execution: 'ok',
      score: 2,
      strictScore: 1.5,
      solution: '{"circles":[]}',
      isolation: 'fake',
    });
  });
  test('what the gate refuses never runs', async () => {
    const result = await evaluate({
      gate: 'SyntaxError: line 1',
      answer: () => {
        throw new Error('must not run');
      },
    });
    expect(result).toMatchObject({
      outcome: 'no_solution',
      execution: 'rejected',
      reasons: ['SyntaxError: line 1'],
      score: null,
    });
  });
  test.each([
    ['killed once', { killed: true }, 1, { outcome: 'valid' }, 2],
    [
      'killed each time',
      { killed: true },
      9,
      { outcome: 'no_solution', reasons: ['the program ended with exit code 137'] },
      3,
    ],
    [
      'ended by itself with the code of a kill',
      {},
      1,
      { outcome: 'no_solution', reasons: ['the program ended with exit code 137'] },
      1,
    ],
  ])('a program that somebody ends within its limits is run again: %s', async (_how, killed, ends, expected, runs) => {
    let ran = 0;
    const answer = (): FakeAnswer =>
      ++ran <= ends ? { kind: 'program_error', exitCode: 137, ...killed } : { solution };
    expect(await evaluate({ answer })).toMatchObject(expected);
    expect(ran).toBe(runs);
  });
  test('a solution that the scorer refuses is invalid and kept', async () => {
    const result = await evaluate({
      score: { ...good, valid: false, score: null, strictScore: null, reasons: ['expected 26 circles, got 1'] },
    });
    expect(result).toMatchObject({
      outcome: 'invalid',
      execution: 'ok',
      score: null,
      reasons: ['expected 26 circles, got 1'],
      solution: '{"circles":[]}',
    });
  });
  for (const [name, score] of Object.entries({
    NaN: { ...good, score: NaN },
    infinite: { ...good, score: Infinity },
    absent: { ...good, score: null },
  })) {
    test(`ThetaEvolve 15: an objective that is ${name} is invalid, never valid`, async () => {
      expect(await evaluate({ score })).toMatchObject({ outcome: 'invalid', score: null, strictScore: null });
    });
  }
  test('ranking by the strict score needs it finite', async () => {
    expect((await evaluate({ score: { ...good, strictScore: null }, scoring: 'strict' })).outcome).toBe('invalid');
    expect((await evaluate({ score: { ...good, strictScore: null } })).outcome).toBe('valid');
  });
  test('the limit that stopped a program is told, and what became of a saved solution', async () => {
    const told = async (answer: FakeAnswer) => (await evaluate({ answer })).reasons;
    expect(await told({ kind: 'timeout_cpu', saved: false })).toEqual(['stopped after 70 s of CPU time (limit 70 s)']);
    expect(await told({ kind: 'timeout_cpu', saved: true })).toEqual([
      'stopped after 70 s of CPU time (limit 70 s); the solution that it had saved does not count in this run',
    ]);
    expect(await told({ kind: 'timeout_wall', cpuMs: 1_200 })).toEqual([
      'stopped after 210 s of wall clock (limit 210 s), in which it used 1 of 70 s of CPU time: it slept or waited',
    ]);
    expect(await told({ kind: 'memory' })).toEqual([
      'stopped because it needed more than 1024 MiB of memory (limit 1024 MiB)',
    ]);
    expect(await evaluate({ answer: { kind: 'timeout_cpu', saved: true, solution } })).toMatchObject({
      outcome: 'valid',
      score: 2,
      reasons: ['stopped after 70 s of CPU time (limit 70 s); the solution that it had saved last counts'],
    });
  });
  test.each([
    [3, 'the program ended with exit code 3; the last line that it wrote: loaded 5 rows'],
    [142, /^the program crashed \(SIGALRM: .*; the last line that it wrote: loaded 5 rows$/],
    [1, 'loaded 5 rows'],
  ])('a last line is no reason of its own, but for the end by an exception: %i', async (exitCode, reason) => {
    const answer = { kind: 'program_error', exitCode, stderrTail: 'loaded 5 rows\n' } as const;
    expect((await evaluate({ answer })).reasons).toEqual([
      typeof reason === 'string' ? reason : expect.stringMatching(reason),
    ]);
  });
  for (const kind of [
    'program_error',
    'timeout_cpu',
    'timeout_wall',
    'memory',
    'output_limit',
    'invalid_output',
  ] as const) {
    test(`${kind} is no solution, with a reason`, async () => {
      const result = await evaluate({ answer: { kind, exitCode: 1, stderrTail: 'Traceback\nValueError: boom\n' } });
      expect(result).toMatchObject({ outcome: 'no_solution', execution: kind, score: null, solution: null });
      expect(result.reasons[0]).toBeTruthy();
    });
  }
  test('a checkpoint that the sandbox hands over after a timeout is scored', async () => {
    expect(await evaluate({ answer: { kind: 'timeout_wall', solution } })).toMatchObject({
      outcome: 'valid',
      execution: 'timeout_wall',
      score: 2,
    });
  });
  test('infrastructure throws', async () => {
    await expect(
      evaluate({
        answer: () => {
          throw new InfrastructureError('engine away');
        },
      }),
    ).rejects.toThrow(InfrastructureError);
  });
  test('the program gets the instance, the seed and 6/7 of the CPU limit', async () => {
    let seen: unknown;
    await evaluate({
      answer: (job) => {
        seen = job.instance;
        return { solution };
      },
    });
    expect(seen).toEqual({ n: 26, seed: 42, time_limit_s: 60 });
    expect(timeLimitTold({ cpuSeconds: 350 })).toBe(300);
  });
});

test('the noop evaluator is deterministic and runs nothing', async () => {
  const noop = createNoopEvaluator();
  const job = {
    key: 'k',
    run: 'r',
    code: 'not python',
    seed: 1,
    acceptSavedOnTimeout: false,
    scoring: 'tolerant',
  } as const;
  const [a, b] = [
    await noop.evaluate(job, new AbortController().signal),
    await noop.evaluate({ ...job, key: 'other' }, new AbortController().signal),
  ];
  expect(a).toEqual(b);
  expect(a.outcome).toBe('valid');
  expect(a.score).toBeGreaterThanOrEqual(1);
  expect(a.score).toBeLessThan(2);
});
