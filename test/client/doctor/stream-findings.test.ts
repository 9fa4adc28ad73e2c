// What `evolve doctor <run>` says of a run with `schedule: continuous`: what is in flight, and why nothing moves.
import { expect, test } from 'vitest';
import type { Execution } from '../../../client/temporal/execution.ts';
import { aboutStream, type StreamState } from '../../../client/doctor/stream-findings.ts';
import { runDocument } from '../../support/domain/run-document.ts';
import { liveWord } from '../../support/live-word.ts';

const base = runDocument();
const run = runDocument({ config: { ...base.config, schedule: 'continuous', inFlight: 32 } });
const EXECUTION = { state: 'RUNNING', pending: [] } as unknown as Execution;
const NOW = new Date('2026-11-21T12:00:00Z');
const stream = (changes: Partial<StreamState> = {}): StreamState => ({
  windows: [{ number: 5, execution: EXECUTION }],
  counts: { total: 60, responses: 20, applied: 18, toEvaluate: 15, evaluated: 9 },
  committedAt: new Date('2026-11-21T11:50:00Z'),
  rates: ['evolve-llm', 'evolve-eval', 'evolve-db'].map((queue) => ({ queue, perSecond: null, waiting: 0 })),
  polled: new Set(['evolve-llm', 'evolve-eval', 'evolve-db']),
  pauses: [],
  ...changes,
});
const found = (changes: Partial<StreamState> = {}, more: object = {}) =>
  aboutStream({
    run,
    live: liveWord({ status: 'running', step: 5 }),
    stream: stream(changes),
    now: NOW,
    ...more,
  });
const words = (...given: Parameters<typeof found>) => found(...given).map(({ detail }) => detail);
const faults = (...given: Parameters<typeof found>) =>
  found(...given).flatMap(({ ok, detail, command }) => (ok ? [] : [`${detail} -> ${command}`]));

test('what is in flight, and that what is finished waits for its turn', () => {
  expect(words()).toEqual([
    'the window of step 5: 60 under way: 40 requested, 8 to be evaluated, 12 to be committed; the last step was committed 10 min ago',
    'what is finished waits for its turn: 8 groups make a step, in the order in which they were finished',
  ]);
  expect(faults()).toEqual([]);
  expect(aboutStream({ run, live: null })).toEqual([]);
});

test('windows that overlap, one that does not answer, and none', () => {
  const windows = [9, 5].map((number) => ({ number, execution: EXECUTION }));
  expect(words({ windows, counts: null, committedAt: null })).toEqual([
    '2 windows overlap (of steps 9, 5): what is in flight is not known, because it does not answer',
  ]);
  expect(words({ windows: [] })).toEqual([
    'no window is open: the next one begins, or the run waits for what is said above',
  ]);
});

test('a rate of 0 and a host that is missing are faults of the queue where something waits', () => {
  const rates = ['evolve-llm', 'evolve-eval', 'evolve-db'].map((queue) => ({ queue, perSecond: 0, waiting: 3 }));
  expect(faults({ rates })).toEqual([
    'nothing is asked for: the rate of evolve-llm is 0, and 3 activities wait -> npx evolve rates set evolve-llm off',
    'nothing is evaluated: the rate of evolve-eval is 0, and 3 activities wait -> npx evolve rates set evolve-eval off',
    'nothing is committed: the rate of evolve-db is 0, and 3 activities wait -> npx evolve rates set evolve-db off',
  ]);
  const polled = new Set(['evolve-db']);
  expect(faults({ polled })).toEqual([
    'nothing is asked for: no host works on evolve-llm -> npx evolve up, or npx evolve worker model; npx evolve hosts lists those that work',
    'nothing is evaluated: no host works on evolve-eval -> npx evolve up, or npx evolve worker evaluation; npx evolve hosts lists those that work',
  ]);
  // Nothing is to be evaluated, so nobody misses the host.
  const counts = { total: 60, responses: 20, applied: 20, toEvaluate: 9, evaluated: 9 };
  expect(faults({ polled, counts })).toHaveLength(1);
  const needing = { run: { ...run, queue: 'evolve-eval-avx512' } };
  expect(faults({}, needing)).toEqual([
    expect.stringContaining('nothing is evaluated: no host has the label avx512: start one with'),
  ]);
});

test('requests wait where programs that are to be evaluated hold the places', () => {
  const waits = (responses: number) =>
    words({ counts: { total: 32, responses, applied: responses, toEvaluate: responses, evaluated: 0 } });
  expect(waits(30)[1]).toMatch(
    /^requests wait for evaluations: 30 programs that are to be evaluated hold the most of 32/,
  );
  expect(waits(15)).toHaveLength(1);
});

test('a rate that is low, and an endpoint that asked to be left alone', () => {
  const rates = [{ queue: 'evolve-llm', perSecond: 0.5, waiting: 7 }];
  const pauses = [{ endpoint: 'https://models.example/v1', ms: 90_400 }];
  expect(words({ rates, pauses }).slice(2)).toEqual([
    'evolve-llm hands out 0.5 activities a second, 7 wait',
    'https://models.example/v1 asked to be left alone for 91 s; requests wait for that long and go on by themselves',
  ]);
});

test('a stream that ends for another reason than a pause says so, and that a new one begins', () => {
  const live = { status: 'running', step: 5, attention: null, closing: true };
  expect(found({}, { live })[1]).toMatchObject({
    ok: true,
    detail: expect.stringMatching(/^it comes to its end, because limits or settings were changed.*begins a new stream/),
  });
});

test('a pause waits for what is under way, and --now does not', () => {
  const live = { status: 'pausing', step: 5, attention: null };
  expect(found({}, { live })[1]).toMatchObject({
    ok: true,
    detail: expect.stringContaining('what is under way is answered, evaluated and committed'),
    command: 'npx evolve pause demo --now',
  });
  const counts = { total: 8, responses: 8, applied: 8, toEvaluate: 8, evaluated: 8 };
  expect(words({ counts })[1]).toBe('all that is under way is finished, and is entered into the population now');
});
