// What people see of a run in the Temporal UI, on a real server with played activities: the attributes of its rows, and
// the current details of its pages, asked for as the UI asks for them.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BRIEF, conductorWorld, refusal } from '../../support/engine/conductor.ts';
import { until } from '../../support/machine/home.ts';

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

/** What the UI asks for to show the current details of an execution. */
const page = async (workflowId: string, runId?: string): Promise<string> =>
  (
    await world.client.workflow
      .getHandle(workflowId, runId)
      .query<{ readonly currentDetails: string }>('__temporal_workflow_metadata')
  ).currentDetails;

const shows = async (what: string, read: () => Promise<string>, ...parts: readonly string[]): Promise<string> => {
  const text = await until(what, 120_000, async () => {
    const now = await read();
    return parts.every((part) => now.includes(part)) ? now : null;
  }).catch(async () => {
    const now = await read();
    throw new Error(`${what}: expected ${parts.filter((part) => !now.includes(part)).join(' and ')} in\n${now}`);
  });
  return text;
};

const executions = async (workflowId: string): Promise<readonly string[]> => {
  const { executions: found } = await world.client.workflowService.listWorkflowExecutions({
    namespace: 'default',
    query: `WorkflowId = "${workflowId}"`,
  });
  return (found ?? [])
    .sort(
      (a, b) =>
        Number(a.startTime!.seconds) - Number(b.startTime!.seconds) || a.startTime!.nanos! - b.startTime!.nanos!,
    )
    .map(({ execution }) => execution!.runId!);
};

const SETTINGS = [
  '| task | circle-packing-square-26 |',
  '| method | theta |',
  '| model | no language model |',
  '| seed | 42 |',
  '| settings | version 3; not as in the preset: batch 3, diff.maxCodeChars 900 and 2 more |',
  '| sweep | `sweep/night` |',
  '| policy | none: the run does not learn |',
];

describe('the page of a run', () => {
  it('says the whole of it in every execution: at work, gone on, paused, parked, resumed and at rest', async () => {
    const id = 'page';
    const brief = {
      task: 'circle-packing-square-26',
      method: 'theta',
      model: 'no language model',
      direction: 'maximise',
      seed: 42,
      sweep: 'night',
      configVersion: 3,
      differing: { named: ['batch 3', 'diff.maxCodeChars 900'], more: 2 },
      limits: { ...LIMITS, steps: 53, costUsd: 5, tokens: 90_000, wallSeconds: 999_999_999_999, targetScore: 2.6 },
    };
    let fails = false;
    const counts = { programs: 9, valid: 4, failures: { no_change: 3, crashed: 2 }, tokens: { in: 600, out: 90 } };
    let done = 0;
    const cast = world.cast(
      id,
      { groups: 1, responses: 1, perRequest: 1 },
      {
        openRun: ({ run }) => ({
          ...BRIEF,
          ...brief,
          run,
          ...(done === 0 ? {} : committed(done, best(`${id}:000001:0:000001`, 1.5))),
          committedStep: done,
          ...(done === 0 ? {} : { improvedAtMs: AT + 60_000 }),
        }),
        commitStep: ({ step }) => {
          done = step;
          const totals = { ...counts, costUsd: 0.25, sinceBest: 7 };
          return committed(step, best(`${id}:000001:0:000001`, 1.5), { totals });
        },
        generate: () => {
          if (fails) throw refusal('the endpoint says no', 'ModelRefused');
          return { stored: [0], missing: [], tokens: 1, costUsd: 0 };
        },
      },
    );
    const release = cast.hold('planStep', ({ step }) => step === 52);
    const handle = await world.start(cast);
    const read = () => page(`run/${id}`);
    const facts = [
      ...SETTINGS,
      '| best | **1.5**, strict 1.25, and the tolerant score ranks; program `page:000001:0:000001` |',
      '| last commit | step 51, 2026-11-20 10:21:00 UTC |',
      '| last improvement | step 1, 2026-11-20 09:31:00 UTC, 7 programs ago |',
      '| limit: steps | 51 of 53 |',
      '| limit: costUsd | 0.2500 of 5 USD |',
      '| limit: tokens | 700 of 90000 |',
      '| limit: targetScore | 1.5, to reach 2.6 |',
      '| programs | 9 made, 4 valid; failures: `no_change 3, crashed 2` |',
      '| tokens | 600 in, 90 out |',
    ];
    const at52 = await shows('step 52', read, ...facts, '**running**, step 51 of 53', '| under way | step 52, begun 2');
    // In the first hour of a day in UTC the time since 1970 is a whole number of days.
    expect(at52).toMatch(/\| limit: wallSeconds \| \d+ d( \d+ h)? of 11574074 d 1 h \|/);
    expect(at52).toContain('signal `pause` with `{"mode": "step"}`');
    expect(at52).toContain('update `rewind` with `{"toStep": 51}`');
    expect(at52).not.toContain('`resume`');

    const [first, second] = await executions(`run/${id}`);
    const left = await page(`run/${id}`, first);
    for (const part of SETTINGS) expect(left).toContain(part);
    expect(left).toContain('**This execution is over**: the run goes on after 50 steps here');
    expect(left).not.toContain('What you can do now');
    expect(at52).toContain(`\`${second}\`, begun`);
    expect(at52).toContain(`as the continuation of \`${first}\``);

    await handle.signal('pause', { mode: 'step', reason: 'lunch' });
    release();
    const paused = await shows('paused', read, '**paused** (lunch), step 52 of 53', ...SETTINGS);
    expect(paused).toContain('| under way | no step |');
    expect(paused).toContain('| go on | `npx evolve resume page` | signal `resume` with `{}` |');
    expect(paused).not.toContain('wait after this step');

    fails = true;
    await handle.signal('resume', {});
    const parked = await shows('parked', read, '**needs attention**', 'the endpoint says no', ...SETTINGS);
    expect(parked).toContain('| try again now | `npx evolve retry page` | signal `retry` with `{}` |');
    expect(parked).toContain('{"resample": true}');
    const step = await page(`run/${id}/step/000053`);
    for (const part of [
      '| run | `run/page` |',
      ...SETTINGS.slice(0, 4),
      '| settings | version 1 |',
      'the endpoint says no',
    ])
      expect(step).toContain(part);
    expect(step).toContain('signal `retry` with `{}` to this workflow or to `run/page`');

    fails = false;
    await handle.signal('retry', {});
    const result = await world.client.workflow.getHandle(`run/${id}`).result();
    expect(result).toMatchObject({ status: 'finished', stopReason: 'steps' });
    const rests = await read();
    for (const part of [...SETTINGS, '**finished** (steps), step 53 of 53', '| limit: steps | 53 of 53 |'])
      expect(rests).toContain(part);
    expect(rests).toMatch(/\| last error \| 2\d{3}-.* UTC: .*the endpoint says no/);
    expect(rests).toContain('*Start Workflow* with workflow id `run/page`, task queue `evolve-workflow`');
    expect(rests).toContain(
      '| go on for as much again | `npx evolve extend page --steps 53 --add` | `{"run": "page", "extend": {"steps": 53, "add": true}}` |',
    );
    expect(rests).not.toMatch(/signal|update/);
    expect(await page(`run/${id}/step/000053`)).toContain('**Step 53** of run `page`: committed');
  });

  it('that is being opened says what its start object asked for, what is wrong, and what can be done', async () => {
    const play = () => {
      throw refusal('the database is away', 'Away');
    };
    world.cast('asked', {}, { openRun: play });
    await world.client.workflow.start('evolutionRun', {
      workflowId: 'run/asked',
      taskQueue: 'evolve-workflow',
      args: [
        { run: 'asked', config: { task: 'heilbronn-triangles', method: 'delta', model: { name: 'm1' }, seed: 7 } },
      ],
    });
    const text = await shows(
      'parked',
      () => page('run/asked'),
      '**needs attention**, not open yet',
      'database is away',
    );
    for (const part of ['heilbronn-triangles', 'delta', 'm1', '7']) expect(text).toContain(`as asked for | ${part} |`);
    expect(text).toContain('| try again now | `npx evolve retry asked` | signal `retry` with `{}` |');
    await world.client.workflow.getHandle('run/asked').signal('stop', {});
    await world.client.workflow.getHandle('run/asked').result();
  });

  it('says of which execution a reset made it', async () => {
    const cast = world.cast('reset', {}, {}, { limits: LIMITS });
    const release = cast.hold('planStep', ({ step }) => step === 1);
    const handle = await world.start(cast);
    await cast.asked('planStep');
    const { runId: before } = await handle.describe();
    const { runId: after } = await world.client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: 'run/reset', runId: before },
      reason: 'a test',
      workflowTaskFinishEventId: 4 as never,
      requestId: randomUUID(),
    });
    await shows('the reset', () => page('run/reset', after!), `\`${after}\`, begun`, ` by a reset of \`${before}\``);
    release();
    await world.client.workflow.getHandle('run/reset').result();
    expect(await page('run/reset', before)).toContain(
      'Where it is closed and did not complete, the run went on in the newest execution of `run/reset`',
    );
  });
});
