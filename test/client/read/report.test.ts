// The machine interface that other tools are written against.
import { describe, expect, test } from 'vitest';
import { endedWell, programLine, runReport, temporalUrl } from '../../../client/read/report.ts';
import { runDocument } from '../../support/domain/run-document.ts';

const NOW = new Date('2026-11-21T10:01:30Z');
const UI = { base: 'http://127.0.0.1:8233', namespace: 'default' };

describe('evolve status --json', () => {
  test('has exactly this shape', () => {
    expect(runReport(runDocument(), NOW, UI)).toEqual({
      run: 'demo',
      task: 'circle-packing-square-26',
      method: 'theta',
      seed: runDocument().config.seed,
      state: 'running',
      stopReason: null,
      parked: null,
      refusals: [],
      steps: 3,
      programs: 192,
      valid: 80,
      failures: {
        rejected: 0,
        unparsed: 0,
        idea_failed: 0,
        rm_failed: 0,
        no_diff: 0,
        no_change: 12,
        duplicate: 0,
        no_solution: 100,
        invalid: 0,
      },
      best: {
        program: 'demo:000002:0:000017',
        score: 1.8412973456789,
        strictScore: 1.8412960456789,
        ranking: 1.8412960456789,
      },
      uncommitted: null,
      scoresInvented: false,
      tokens: { in: 1_234_567, out: 45_678 },
      costUsd: 0,
      estimated: { answers: 0, tokens: 0 },
      wallSeconds: 90,
      offlineModel: true,
      level: null,
      stream: false,
      createdAt: '2026-11-21T10:00:00.000Z',
      lines: null,
      rounds: null,
      noCell: {},
      initialisation: null,
      limits: { steps: 16 },
      settingsVersion: 1,
      paid: { tokens: 1_280_245, costUsd: 0 },
      unanswered: { requests: 0, tokens: { in: 0, out: 0 }, costUsd: 0 },
      mark: null,
      sweep: null,
      origin: null,
      taskUpdates: [],
      policy: null,
      trackers: [],
      temporalUrl: 'http://127.0.0.1:8233/namespaces/default/workflows/run%2Fdemo',
    });
  });

  test('counts requests without an answer in what is paid, as limits do', () => {
    const unanswered = { requests: 2, tokens: { in: 300, out: 45 }, costUsd: 0.5 };
    expect(runReport(runDocument({ unanswered }), NOW, UI)).toMatchObject({
      unanswered,
      paid: { tokens: 1_280_245 + 345, costUsd: 0.5 },
      tokens: { in: 1_234_567, out: 45_678 },
    });
  });

  test('valid and failures add up to programs', () => {
    const { programs, valid, failures } = runReport(runDocument(), NOW, UI);
    expect(Object.values(failures).reduce((a, b) => a + b, valid)).toBe(programs);
  });

  test('before the first step, steps is 0 and best is null', () => {
    expect(runReport(runDocument({ committedStep: -1, best: null }), NOW, null)).toMatchObject({
      steps: 0,
      best: null,
      temporalUrl: null,
    });
  });

  test('the clock stops at the end', () => {
    const ended = runDocument({
      status: 'finished',
      stopReason: 'steps',
      endedAt: new Date('2026-11-21T10:00:45.250Z'),
    });
    expect(runReport(ended, NOW, UI)).toMatchObject({ state: 'finished', stopReason: 'steps', wallSeconds: 45.3 });
  });

  test('says why a run needs attention', () => {
    expect(runReport(runDocument({ status: 'needs attention', statusReason: 'wrong key' }), NOW, UI)).toMatchObject({
      state: 'needs attention',
      stopReason: 'wrong key',
    });
  });
});

test('a namespace of Temporal Cloud is escaped in the address', () => {
  expect(temporalUrl({ base: 'https://ui/', namespace: 'a/b' }, 'r')).toBe(
    'https://ui/namespaces/a%2Fb/workflows/run%2Fr',
  );
});

test('only an ended run with a valid new program ended well', () => {
  const totals = { ...runDocument().totals, valid: 0 };
  expect(endedWell(runDocument({ status: 'finished' }))).toBe(true);
  expect(endedWell(runDocument({ status: 'finished', totals }))).toBe(false);
  expect(endedWell(runDocument({ status: 'needs attention' }))).toBe(false);
  expect(endedWell(runDocument({ status: 'running' }))).toBe(false);
});

test('a program line has code only where it was asked for', () => {
  const program = {
    _id: 'demo:000001:0:000000',
    run: 'demo',
    step: 1,
    epoch: 0,
    slot: 0,
    generation: 0,
    bornSeq: 1e6,
    parents: ['demo:000000:0:000000'],
    island: 2,
    outcome: 'no_diff',
    reasons: [],
    score: null,
    strictScore: null,
    reward: -0.4,
    code: null,
    normHash: null,
    length: 0,
    evaluation: null,
  } as const;
  expect(programLine(program)).toEqual({
    id: program._id,
    step: 1,
    slot: 0,
    parents: program.parents,
    island: 2,
    outcome: 'no_diff',
    score: null,
    strictScore: null,
    length: 0,
    reward: -0.4,
    reasons: [],
  });
  expect(programLine(program, { code: null })).toHaveProperty('code', null);
  expect(programLine(program, { numbers: { tokens: 13 } })).toHaveProperty('tokens', 13);
  expect(programLine(program, { invented: true })).toHaveProperty('scoresInvented', true);
});
