// What `evolve doctor <run>` makes of a state: each thing that happens to runs, with what to do.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runFindingLines } from '../../../cli/commands/parts/doctor.ts';
import { allOf } from '../../../client/doctor/diagnose-parts.ts';
import type { Execution } from '../../../client/temporal/execution.ts';
import { runFindings, type RunState } from '../../../client/doctor/run-findings.ts';
import { runsFinding } from '../../../client/read/state-findings.ts';
import { levelHere } from '../../../deploy/stack/diagnose.ts';
import { promptFindings } from '../../../client/doctor/prompt-findings.ts';
import type { Store } from '../../../activities/store/store.ts';
import { programId, promptId } from '../../../evolution/ids.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { configFrom, runOf } from '../../support/domain/asked-run.ts';
import { runDocument } from '../../support/domain/run-document.ts';
import { liveWord } from '../../support/live-word.ts';

const execution = (changes: Partial<Execution> = {}): Execution => ({
  runId: 'r1',
  state: 'RUNNING',
  startedAt: new Date('2026-11-21T10:00:00Z'),
  closedAt: null,
  ending: null,
  resetTo: null,
  pending: [],
  taskAttempts: 0,
  taskFailure: null,
  version: null,
  ...changes,
});
const TERMINATED = execution({
  state: 'TERMINATED',
  closedAt: new Date('2026-11-21T11:00:00Z'),
  ending: 'terminated by ann@host: a mistake',
});
const state = (changes: Partial<RunState> = {}): RunState => ({
  run: runDocument(),
  workflow: execution(),
  earlier: [],
  step: { number: 4, execution: execution() },
  live: liveWord({ status: 'running', step: 4 }),
  superseded: [],
  ...changes,
});
const bad = (changes: Partial<RunState>) =>
  runFindings(state(changes))
    .filter(({ ok }) => !ok)
    .map(({ about, detail, command }) => `${about}: ${detail} -> ${command}`);
const told = (changes: Partial<RunState>): string =>
  runFindings(state(changes))
    .filter(({ ok }) => ok)
    .map(({ about, detail }) => `${about}: ${detail}`)
    .join('\n');

describe('a run that is well', () => {
  test('needs nothing', () => expect(bad({})).toEqual([]));
  test('tells the update of its policy, and what of it fails', () => {
    const pending = [{ activity: 'applyUpdate', attempt: 5, paused: false, lastFailure: 'heartbeat' }];
    const update = { number: 3, execution: execution({ pending: pending as unknown as Execution['pending'] }) };
    expect(told({ step: null, update })).toContain('the update of the policy after step 3 is under way');
    expect(bad({ step: null, update }).join()).toContain('applyUpdate: attempt 5');
  });
  test('needs nothing when it has ended', () => {
    const run = runDocument({ status: 'finished', stopReason: 'steps' });
    expect(bad({ run, workflow: execution({ state: 'COMPLETED' }), live: null, step: null })).toEqual([]);
    expect(bad({ run, workflow: null, live: null, step: null })).toEqual([]);
  });
  test('is to be looked at where it made no valid program', () => {
    const { totals } = runDocument();
    const none = { ...totals, programs: 10, valid: 0, failures: { no_diff: 9, invalid: 1 } };
    const run = runDocument({ status: 'finished', stopReason: 'steps', totals: none });
    expect(bad({ run, workflow: null, live: null, step: null }).join()).toMatch(
      /none of its 10 programs is valid: 9 without an edit that could be taken, 1 invalid -> npx evolve programs demo$/,
    );
  });
  test('is removed to its end, where that was cut short', () => {
    const run = runDocument({ status: 'finished', stopReason: 'steps', removing: new Date('2026-11-21T10:00:00Z') });
    expect(bad({ run, workflow: null, live: null, step: null })).toEqual([
      'run: it is being removed since 2026-11-21T10:00:00.000Z, and is not whole -> npx evolve prune demo',
    ]);
  });
  test('needs nothing while it waits in a sweep', () => {
    expect(
      bad({ run: runDocument({ status: 'queued', sweep: 'bins' }), workflow: null, live: null, step: null }),
    ).toEqual([]);
  });
  test('needs nothing after a cancel: it was stopped', () => {
    const run = runDocument({ status: 'stopped', stopReason: 'cancelled in the workflow engine' });
    expect(
      bad({
        run,
        workflow: execution({ state: 'CANCELLED', ending: 'cancelled in the workflow engine' }),
        live: null,
        step: null,
      }),
    ).toEqual([]);
  });
});

describe('the prompts of a run', () => {
  /** Each group's request has so many characters, and its endpoint counted so many tokens. */
  const found = async (reads: readonly (readonly [chars: number, tokens: number])[]) => {
    const store = memoryStore();
    await store.createRun(runOf(configFrom({ batch: reads.length, responses: 2 })));
    for (const [group, [chars, tokens]] of reads.entries()) {
      const [system, user] = await store.putTexts(['', 'x'.repeat(chars)]);
      const place = { run: 'r', step: 1, epoch: 0, group };
      await store.putPrompts([
        {
          ...{ ...place, _id: promptId('r', 1, 0, group), system: system!, user: user!, parent: 'p', island: 0 },
          ...{ priorPrograms: [], part: 'p', configVersion: 1 },
        },
      ]);
      const answer = { ...place, response: system!, reasoning: null, model: 'm', finishReason: 'stop', costUsd: 0 };
      await store.putRollouts(
        [0, 1].map((one) => ({
          ...{ ...answer, _id: programId('r', 1, 0, 2 * group + one), slot: 2 * group + one },
          usage: { in: one === 0 ? tokens : 0, out: 5 },
        })),
      );
    }
    const run = { ...(await store.readRun('r'))!, committedStep: 1 };
    return (await promptFindings({ ...store, eachStep: async function* () {} } as Store, run)).map((one) => one.detail);
  };

  test.each<[string, readonly (readonly [number, number])[], RegExp | null]>([
    [
      'that are read whole',
      [
        [8_000, 2_000],
        [12_000, 2_900],
      ],
      null,
    ],
    ['whose tokens nobody counts', [[8_000, 0]], null],
    [
      'that have too few tokens',
      [[8_000, 500]],
      /^m counted 500 tokens for a prompt of 8,000 characters, .*larger window/,
    ],
    [
      'of different length with as many tokens',
      [
        [9_000, 2_050],
        [16_000, 2_050],
      ],
      /larger window/,
    ],
    [
      'that are alike, with as many tokens',
      [
        [9_000, 2_050],
        [9_500, 2_050],
      ],
      null,
    ],
  ])('%s', async (_, reads, words) => {
    expect(await found(reads)).toEqual(words === null ? [] : [expect.stringMatching(words)]);
  });
});

describe('a task that changed since the run began', () => {
  test('after it was kept with the run: told, and nothing needs doing', () => {
    for (const task of ['folder', { problem: 'there is no such folder' }] as const) expect(bad({ task })).toEqual([]);
    expect(told({ task: 'folder' })).toContain(
      'tasks/circle-packing-square-26 has changed since the run began; the run goes on with the task as it was then',
    );
    expect(told({ task: { problem: 'there is no such folder' } })).toContain(
      'cannot be read any more (there is no such folder); the run goes on with the task that it has',
    );
  });
});

const PARKED = liveWord({ status: 'needs attention', step: 4, attention: 'generate: 401' });
const failingStep = (changes: Partial<Execution>): Partial<RunState> => ({
  step: { number: 4, execution: execution(changes) },
  earlierVersion: 'old',
});
const GENERATE = { activity: 'generate', attempt: 7, lastFailure: '503 busy', paused: false, waitsSince: null };
const AGAIN = 'npx evolve terminate demo, then npx evolve resume demo';

describe('a run that needs something', () => {
  test.each<[string, Partial<RunState>, string]>([
    [
      'parked after one step',
      { run: runDocument({ committedStep: 1 }), live: PARKED, step: null },
      'run: The model cannot be asked: 401; 1 step is committed and kept -> npx evolve retry demo',
    ],
    [
      'parked: the reason and retry',
      { live: PARKED },
      'run: The model cannot be asked: 401; 3 steps are committed and kept -> npx evolve retry demo',
    ],
    [
      'terminated by hand: the actor, the reason, resume',
      { workflow: TERMINATED, live: null, step: null },
      'workflow: closed (terminated by ann@host: a mistake), and the run document still says "running"; what is committed is kept, the step at hand is done again -> npx evolve resume demo',
    ],
    [
      'forgotten by the engine: resume',
      { workflow: null, live: null, step: null },
      'workflow: the workflow engine knows no workflow of this run (its data was lost, or the retention is over), and the run document still says "running"; what is committed is kept -> npx evolve resume demo',
    ],
    [
      'without a worker: the parts',
      { live: null },
      'workers: no worker answered for the open workflow -> npx evolve doctor',
    ],
    [
      'whose code fails',
      { workflow: execution({ taskAttempts: 9 }) },
      `workflow: its code fails (attempt 9 at one workflow task). It goes on by itself once the code is repaired. It takes no message and answers nothing -> ${AGAIN}`,
    ],
    [
      'with a step whose code fails: back to the version before',
      failingStep({ taskAttempts: 9, taskFailure: { message: 'oh no', diverges: false }, version: 'new' }),
      `step: step 4 is stuck: its code of version new fails (attempt 9 at one workflow task): oh no. It goes on by itself once the code is repaired. -> npx evolve upgrade --pin old demo; or, where that says that it does not replay there, ${AGAIN}`,
    ],
    [
      'with a step whose history does not replay: the step again',
      failingStep({ taskAttempts: 2, taskFailure: { message: 'no such command', diverges: true } }),
      `step: step 4 is stuck: its history does not replay under the code (attempt 2 at one workflow task): no such command. -> ${AGAIN}`,
    ],
    [
      'on a version that nobody serves',
      { workflow: execution({ version: 'old' }), live: null, served: false },
      'workers: no worker of version old of the workflows is there, and the run is on it -> start the host that has it, or npx evolve upgrade --move old',
    ],
    [
      'with an activity that fails again and again',
      failingStep({ pending: [GENERATE, { ...GENERATE, activity: 'evaluate', attempt: 1 }] }),
      'activity: generate: attempt 7; last failure: 503 busy; it is tried again by itself -> remove the cause; Reset under Pending Activities in the Temporal UI tries at once',
    ],
    [
      'with an activity that a person paused',
      failingStep({ pending: [{ ...GENERATE, attempt: 1, paused: true }] }),
      'activity: 1 paused by hand: generate -> unpause it under Pending Activities in the Temporal UI',
    ],
  ])('%s', (_, changes, finding) => expect(bad(changes)).toEqual([finding]));

  test('paused in the engine', () =>
    expect(bad({ workflow: execution({ state: 'PAUSED' }), live: null })[0]).toContain(
      'unpause it in the Temporal UI',
    ));
  test('with an update of its policy whose code fails: back to the version before', () => {
    const failing = execution({ taskAttempts: 7, version: 'new', taskFailure: { message: 'oops', diverges: false } });
    expect(bad({ step: null, update: { number: 3, execution: failing }, earlierVersion: 'old' })).toEqual([
      expect.stringMatching(
        /^update: the update of the policy after step 3 is stuck: its code of version new fails .*: oops\..* -> npx evolve upgrade --pin old demo; or/,
      ),
    ]);
  });
  test('with a step that was terminated: retry', () => {
    const reason = 'step 4 ended without a result';
    const run = runDocument({ status: 'needs attention', statusReason: reason });
    const live = liveWord({ status: 'needs attention', step: 4, attention: reason });
    expect(bad({ run, step: { number: 4, execution: TERMINATED }, live })[1]).toBe(
      'step: step 4 was terminated by ann@host: a mistake; the run waits, and does it again with what is stored -> npx evolve retry demo',
    );
  });
  const now = new Date('2026-11-21T10:30:00Z');
  const waits = { ...GENERATE, activity: 'evaluate', attempt: 1, waitsSince: new Date('2026-11-21T10:04:00Z') };
  test('with an activity that no worker has taken for minutes', () => {
    const hidden = { ...waits, activity: 'evaluateHidden' };
    expect(bad({ workflow: execution({ pending: [hidden] }), now })).toEqual([
      'activity: evaluateHidden (the score on hidden instances) has waited for a worker for 26 min: the workers are busy with other runs, or none asks for it -> npx evolve hosts',
    ]);
    const soon = { ...waits, waitsSince: new Date('2026-11-21T10:29:00Z') };
    expect(bad({ ...failingStep({ pending: [soon] }), now })).toEqual([]);
  });
  test('an activity that waits behind others of its kind needs nothing, and is told', () => {
    const pending = [waits, waits, { ...waits, waitsSince: null }];
    expect(bad({ ...failingStep({ pending }), now })).toEqual([]);
    expect(told({ ...failingStep({ pending }), now })).toContain(
      'evaluate has waited for a worker for 26 min, and 1 more wait; others like it are at work',
    );
  });
  test('an activity in its second attempt needs nothing', () =>
    expect(bad(failingStep({ pending: [{ ...GENERATE, attempt: 2 }] }))).toEqual([]));
});

test('what happened is told even where nothing needs doing', () => {
  const text = told({
    run: runDocument({
      generation: 3,
      configVersion: 4,
      origin: { run: 'parent', step: 2 },
      sweep: 'bins',
      epochs: [{ step: 3, epoch: 1, by: 'x' }],
      setAside: [{ step: 3, epoch: 0, programs: 64, tokens: { in: 900, out: 100 }, costUsd: 0.5 }],
    }),
    earlier: [{ ...TERMINATED, resetTo: 'r2' }, TERMINATED],
    superseded: [
      { step: 2, generation: 1 },
      { step: 3, generation: 1 },
    ],
  });
  for (const part of [
    'reset by hand at 2026-11-21 11:00:00',
    'an earlier execution was terminated by ann@host: a mistake',
    '3; 2 commits of steps 2 to 3 were rewound',
    '64 programs (1000 tokens, $0.50)',
    'version 4',
    'a fork of run parent after its step 2',
    'of sweep bins',
  ])
    expect(text).toContain(part);
});

test('what was set aside and used again was paid once, and is said to be so', () => {
  const one = { programs: 8, tokens: { in: 900, out: 100 }, costUsd: 0.5 };
  const setAside = [1, 2, 3].map((step) => ({ step, epoch: 0, ...one }));
  const paid = (over: object): readonly string[] =>
    told({ run: runDocument({ committedStep: 3, setAside, ...over }) })
      .split('\n')
      .filter((text) => text.includes('programs ('));
  // All three steps were done again from what was stored.
  expect(paid({})).toEqual([expect.stringContaining('24 programs (3000 tokens, $1.50) were used again')]);
  // From step 2 on the model was asked afresh.
  expect(paid({ epochs: [{ step: 2, epoch: 1, by: 'x' }] })).toEqual([
    expect.stringContaining('16 programs (2000 tokens, $1.00) of steps that were rewound'),
    expect.stringContaining('8 programs (1000 tokens, $0.50) were used again'),
  ]);
});

test('findings are printed with what to do', () => {
  expect(
    runFindingLines('demo', [
      { about: 'run', ok: true, detail: 'running' },
      { about: 'workflow', ok: false, detail: 'closed', command: 'npx evolve resume demo' },
    ]),
  ).toEqual([
    'ok    run          running',
    'LOOK  workflow     closed',
    '                   do: npx evolve resume demo',
    'run demo: 1 of 2 findings need something done',
  ]);
});

test('what the server does not tell is said, and hides nothing else; what this key may not ask is no fault', async () => {
  const failing = (code: number, words: string) => () => Promise.reject(Object.assign(new Error(words), { code }));
  const versions = { part: 'versions', ok: false, detail: 'no worker of version a', fix: 'npx evolve up' };
  expect(
    await allOf({
      namespace: failing(14, 'UNAVAILABLE: busy'),
      rates: failing(7, 'PERMISSION_DENIED: unauthorized'),
      versions: async () => [versions],
    }),
  ).toEqual([
    {
      part: 'namespace',
      ok: false,
      detail: 'could not be found out: UNAVAILABLE: busy',
      fix: 'npx evolve doctor again, once the server answers',
    },
    { part: 'rates', ok: true, detail: 'could not be found out: PERMISSION_DENIED: unauthorized' },
    versions,
  ]);
});

test('a parked run is told once, in sentences, with all that a person may do', () => {
  const run = runDocument({
    status: 'needs attention',
    statusReason: 'generate: ModelUnavailable: http://models/v1 answered 503: busy.',
    parked: { since: '2026-11-21T06:19:00.000Z', tries: 3, next: '2026-11-21T06:27:00.000Z', trying: false },
    config: {
      ...runDocument().config,
      model: { ...runDocument().config.model, name: 'm', baseUrl: 'http://models/v1' },
    },
  });
  const parked = { ...PARKED, attention: run.statusReason, parked: run.parked };
  const pending = failingStep({ pending: [] });
  const findings = runFindings(state({ ...pending, run, live: parked, now: new Date('2026-11-21T06:19:00Z') }));
  const text = runFindingLines('demo', findings).join('\n');
  expect(text).toContain('The model does not answer: http://models/v1 answered 503: busy; 3 steps');
  expect(text).toMatch(
    /do: npx evolve retry demo\n +do: with other values, npx evolve set demo model\.name=m .*\n +do: npx evolve stop demo/,
  );
  expect(text).toContain('step 4 waits with the run');
  expect(text).not.toMatch(/\.\.|needs attention:|0 activities/);
});

test('evolve doctor names the runs that are parked, which is not well, and the command that says more', () => {
  const runs = [
    runDocument({
      run: 'night',
      status: 'needs attention',
      statusReason: 'generate: ModelUnavailable: http://m/v1 answered 503',
    }),
    runDocument({ run: 'late', status: 'retrying', statusReason: 'no room' }),
    runDocument({ run: 'goes-on', status: 'running' }),
    runDocument({ run: 'ended', status: 'finished' }),
  ];
  expect(runsFinding(runs)).toEqual({
    part: 'runs',
    ok: false,
    detail: '3 open, 2 of them parked: night (The model does not answer), late',
    fix: 'npx evolve doctor night',
  });
  expect(runsFinding(runs.slice(2))).toEqual({ part: 'runs', ok: true, detail: '1 open, none is parked' });
});

test('the level of programs is named with its reason', () => {
  const settings = mkdtempSync(join(tmpdir(), 'settings-'));
  for (const folder of ['user', 'kernel']) mkdirSync(join(settings, folder));
  const set = (name: string, value: string): void => writeFileSync(join(settings, name), `${value}\n`);
  expect(levelHere('fork', settings)).toBe('programs run on the level fork: each forked into namespaces of its own');
  set('user/max_user_namespaces', '96364');
  expect(levelHere('fork', settings)).toContain('the level fork');
  set('kernel/apparmor_restrict_unprivileged_userns', '1');
  expect(levelHere('fork', settings)).toContain(
    'the level docker, a container for each, because kernel.apparmor_restrict_unprivileged_userns is 1',
  );
  expect(levelHere('docker', settings)).toBe('programs run on the level docker, as this installation was started');
});
