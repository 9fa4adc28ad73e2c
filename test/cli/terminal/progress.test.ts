// The progress display: what people see of a state, at any width.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { amount, clock } from '../../../evolution/reports/number-text.ts';
import { programsPerMinute, secondsLeft, withSample } from '../../../cli/terminal/pace.ts';
import { progressBlock, progressLine } from '../../../cli/terminal/progress.ts';
import type { WatchState } from '../../../cli/terminal/standing.ts';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';
import { runDocument } from '../../support/domain/run-document.ts';
import { liveWord } from '../../support/live-word.ts';

const state = (changes: Partial<WatchState> = {}): WatchState => ({
  run: runDocument(),
  now: new Date('2026-11-21T10:00:30Z'),
  live: liveWord({ status: 'running', step: 4 }),
  inStep: { total: 64, responses: 64, applied: 40, toEvaluate: 30, evaluated: 22 },
  waitingFor: null,
  perMinute: 384,
  temporalUrl: 'http://127.0.0.1:8233/namespaces/default/workflows/run%2Fdemo',
  ...changes,
});

describe('the block', () => {
  test('tells run, model, step, programs, best, tokens, speed, address', () => {
    const text = progressBlock(state(), 120).join('\n');
    for (const part of [
      'demo   running',
      'circle-packing-square-26 · method theta',
      'no language model',
      '4/16',
      '64 of 64 answered, 8 evaluating, 32 done',
      '192 programs · 80 valid · 112 failed: no_change 12, no_solution 100',
      '1.841297346 tolerant, 1.841296046 strict · step 2',
      '1.23 M in · 45.7 k out · cost $0',
      '23 k programs/h · elapsed 0:30 · time left about',
      'workflows/run%2Fdemo',
    ])
      expect(text).toContain(part);
  });

  test('scores that are written alike are written once', () => {
    const best = { ...runDocument().best!, score: 1.757917530001, strictScore: 1.75791753 };
    const text = progressBlock(state({ run: runDocument({ best }) }), 120).join('\n');
    expect(text).toContain('best    1.75791753 · step 2');
  });

  test('of a stream it does not call all that is under way the size of a step', () => {
    const run = runDocument({ config: { ...runDocument().config, schedule: 'continuous', batch: 2, responses: 1 } });
    const inStep = { total: 5, responses: 2, applied: 2, toEvaluate: 1, evaluated: 0 };
    expect(progressBlock(state({ run, inStep }), 120).join('\n')).toContain(
      '5 under way: 3 requested, 1 to be evaluated, 1 to be committed',
    );
  });

  test('fits any width, save the address', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), (width) => {
        for (const line of progressBlock(state(), width).slice(0, -1))
          expect(line.length).toBeLessThanOrEqual(Math.max(1, width));
      }),
    );
  });

  test('shows what is awaited and what needs attention, with the command', () => {
    const text = progressBlock(
      state({
        waitingFor: 'the workers',
        live: liveWord({ status: 'needs attention', step: 4, attention: 'generate: 401' }),
      }),
      120,
    ).join('\n');
    expect(text).toContain('waiting for the workers');
    expect(text).toContain('The model cannot be asked: 401');
    expect(text).toContain('npx evolve retry demo');
  });

  test('says what the run costs from now on, and what a person may do', () => {
    const limits = { ...runDocument().config.limits, steps: 16 };
    const run = runDocument({ config: { ...runDocument().config, limits } });
    const advice = [{ about: 'gain', what: 'No new best since step 2', moves: [{ verb: 'stop', body: {} }] }] as const;
    const text = progressBlock(state({ run, advice, costPerHour: 36, inStep: null }), 120).join('\n');
    expect(text).toMatch(/cost \$36\.00 an hour, about \$1\.\d\d when it ends/);
    expect(text).toMatch(/advice {2}No new best since step 2\n {8}npx evolve stop demo\n/);
    expect(progressBlock(state({ costPerHour: 0 }), 120).join('\n')).not.toContain('an hour');
  });

  test('an ended run is told by its document, not by a stale answer', () => {
    const run = runDocument({
      status: 'finished',
      stopReason: 'steps',
      endedAt: new Date('2026-11-21T10:00:20Z'),
      committedStep: 16,
    });
    const text = progressBlock(state({ run }), 120).join('\n');
    expect(text).toContain('demo   finished by its limit of steps');
    expect(text).toContain('16/16 done');
    expect(text).not.toMatch(/time left|programs\/h/);
  });

  test('stands at the step after the committed ones, whatever later one the workflow is at already', () => {
    for (const [step, shown] of [
      [3, '3/16'],
      [4, '4/16'],
      [5, '4/16'],
    ] as const) {
      const text = progressBlock(state({ live: liveWord({ status: 'running', step }), inStep: null }), 120).join('\n');
      expect(text).toContain(`step    ${shown}`);
    }
  });

  test('the bar is how far the run is, with and without word of the open step', () => {
    const barOf = (changes: Partial<WatchState>) => {
      const row = progressBlock(state(changes), 120).find((text) => text.startsWith('step'))!;
      return { full: [...row].filter((one) => one === '█').length, of: row.match(/[█░]/g)?.length ?? 0 };
    };
    expect(barOf({ live: null, inStep: null })).toEqual({ full: 6, of: 30 });
    expect(barOf({})).toEqual({ full: 7, of: 30 });
    expect(barOf({ live: null, inStep: null, run: runDocument({ committedStep: 12 }) }).full).toBe(23);
    const { config } = runDocument();
    const limits = { ...config.limits, steps: null };
    const byPrograms = runDocument({ config: { ...config, limits: { ...limits, programs: 384 } } });
    expect(barOf({ live: null, inStep: null, run: byPrograms }).full).toBe(15);
    expect(barOf({ run: runDocument({ config: { ...config, limits } }) }).of).toBe(0);
  });

  test('a pace that is not known is not spoken of; a slow one is told by the hour', () => {
    const speedOf = (perMinute: number | null) =>
      progressBlock(state({ perMinute }), 120).find((text) => text.startsWith('speed'));
    expect(speedOf(null)).toBe('speed   elapsed 0:30');
    expect(speedOf(0.5)).toMatch(/^speed {3}30 programs\/h · elapsed 0:30 · time left about /);
  });

  test('lines that came back are told as a sentence that says whose they are', () => {
    const run = runDocument({ totals: { ...runDocument().totals, lines: { added: 634, reintroduced: 56 } } });
    expect(progressBlock(state({ run }), 120)).toContain(
      'lines   edits added 634, of which an ancestor had deleted 56 before',
    );
  });

  test('an unknown price is not shown as no cost', () => {
    const { config } = runDocument();
    const text = progressBlock(
      state({ run: runDocument({ config: { ...config, model: { ...config.model, price: null } } }) }),
      120,
    ).join('\n');
    expect(text).toContain('cost unknown');
  });
});

test('the plain line is one line with the same facts', () => {
  const line = progressLine(state());
  expect(line).toBe(
    'step 3/16  programs 192  valid 80  failed 112 (no_change 12, no_solution 100)  best 1.841297346 (strict 1.841296046)  tokens 1.23 M/45.7 k  cost $0  under way 32 of 64  384/min  left about 2:05',
  );
});

test('the numbers of a line are of one moment: the steps that are committed, and the programs that they made', () => {
  for (const live of [null, ...[3, 4, 5].map((step) => liveWord({ status: 'running', step }))]) {
    expect(progressLine(state({ live, inStep: null }))).toMatch(/^step 3\/16  programs 192  valid 80 /);
  }
});

test('an update of the policy is told with what its trainer is at', () => {
  const { now } = state();
  const since = new Date(now.getTime() - 75_000).toISOString();
  const update = { step: 3, since, at: 'applyUpdate: forward and backward, 12 of 40' };
  const live = liveWord({ status: 'running', step: 3, attention: null, update });
  const text = 'update after step 3, under way for 1:15: applyUpdate: forward and backward, 12 of 40';
  expect(progressBlock(state({ live }), 120).join('\n')).toContain(`learns  ${text}`);
  expect(progressLine(state({ live, inStep: null }))).toContain(`  ${text}  `);
});

describe('pace', () => {
  test('is measured over the last minute', () => {
    const samples = [0, 10, 40, 70].reduce<ReturnType<typeof withSample>>(
      (seen, s) => withSample(seen, { atMs: s * 1000, programs: s * 10 }),
      [],
    );
    expect(samples.map(({ atMs }) => atMs)).toEqual([10_000, 40_000, 70_000]);
    expect(programsPerMinute(samples)).toBeCloseTo(600);
  });
  test('is unknown at first', () => expect(programsPerMinute([{ atMs: 0, programs: 5 }])).toBeNull());
  test('counts down to the nearest limit', () => {
    const { config } = resolveConfig([]);
    const limited = runDocument({
      config: { ...config, limits: { ...config.limits, steps: null, programs: 320, wallSeconds: 45 } },
    });
    expect(secondsLeft(limited, null, 64, new Date('2026-11-21T10:00:30Z'))).toBe(15);
    expect(secondsLeft(limited, null, 640, new Date('2026-11-21T10:00:00Z'))).toBeCloseTo(12);
    const few = runDocument({ config: { ...config, limits: { ...config.limits, steps: null, programs: 202 } } });
    expect(secondsLeft(few, null, 60, new Date('2026-11-21T10:00:00Z'))).toBeCloseTo(10);
  });
});

test('numbers are short', () => {
  expect([amount(999), amount(12_345), amount(1_234_567), amount(123_456_789)]).toEqual([
    '999',
    '12.3 k',
    '1.23 M',
    '123 M',
  ]);
  expect([clock(7), clock(192), clock(7439)]).toEqual(['0:07', '3:12', '2:03:59']);
});
