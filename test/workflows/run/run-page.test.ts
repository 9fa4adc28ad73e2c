// What people see of a run in the Temporal UI, on a real server with played activities: the attributes of its rows, and
// the current details of its pages, asked for as the UI asks for them.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BRIEF, conductorWorld, refusal } from '../../support/engine/conductor.ts';
import { until } from '../../support/machine/home.ts';

/** A run goes on in another execution after some four steps. */
const world = conductorWorld({ suggestAt: 50 });

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

const SUMMARY = 'circle-packing-square-26, theta, no language model, seed 42, version 3 of the settings; ';

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
      limits: { ...LIMITS, steps: 9 },
    };
    let fails = false;
    const counts = { programs: 9, valid: 4, failures: { no_change: 3, crashed: 2 }, tokens: { in: 600, out: 90 } };
    const totals = { ...counts, costUsd: 0.25, sinceBest: 7 };
    let done = 0;
    const cast = world.cast(
      id,
      { groups: 1, responses: 1, perRequest: 1 },
      {
        openRun: ({ run }) => ({
          ...BRIEF,
          ...brief,
          run,
          ...(done === 0 ? {} : committed(done, best(`${id}:000001:0:000001`, 1.5), { totals })),
          committedStep: done,
        }),
        commitStep: ({ step }) => {
          done = step;
          return committed(step, best(`${id}:000001:0:000001`, 1.5), { totals });
        },
        generate: () => {
          if (fails) throw refusal('the endpoint says no', 'ModelRefused');
          return { stored: [0], missing: [], tokens: 1, costUsd: 0 };
        },
      },
    );
    const release = cast.hold('planStep', ({ step }) => step === 8);
    await world.start(cast);
    await cast.asked('planStep', ({ step }) => step === 8);
    const read = () => page(`run/${id}`);
    const facts = `${SUMMARY}best 1.5, strict 1.25 (page:000001:0:000001); 9 programs, 4 valid; 0.2500 USD.`;
    const at8 = await shows('step 8', read, facts, '**running**, step 7 of 9');
    expect(at8).toContain('signal `pause` with `{"mode": "step"}`');
    expect(at8).toContain('update `rewind` with `{"toStep": 7}`');
    expect(at8).not.toContain('`resume`');

    const present = world.client.workflow.getHandle(`run/${id}`);
    const { runId } = await present.describe();
    const { events } = await present.fetchHistory();
    const before = events![0]!.workflowExecutionStartedEventAttributes!.continuedExecutionRunId!;
    const left = await page(`run/${id}`, before);
    expect(left).toContain(SUMMARY);
    expect(left).toMatch(/\*\*This execution is over\*\*: the run goes on after \d steps? here/);
    expect(left).not.toContain('What you can do now');
    expect(at8).toContain(`This one is \`${runId}\`; it continues \`${before}\``);

    await present.signal('pause', { mode: 'step', reason: 'lunch' });
    release();
    const resume = '| `npx evolve resume page` | signal `resume` with `{}` |';
    const paused = await shows('paused', read, '**paused** (lunch), step 8 of 9', SUMMARY, resume);
    expect(paused).not.toContain('`npx evolve pause page`');

    fails = true;
    await present.signal('resume', {});
    const retry = '| `npx evolve retry page` | signal `retry` with `{}` or `{"resample": true}` |';
    await shows('parked', read, '**needs attention**', 'the endpoint says no', SUMMARY, retry);
    const step = await page(`run/${id}/step/000009`);
    for (const part of ['under version 1 of the settings', 'the endpoint says no', '`run/page` says what you can do'])
      expect(step).toContain(part);

    fails = false;
    await present.signal('retry', {});
    const result = await present.result();
    expect(result).toMatchObject({ status: 'finished', stopReason: 'steps' });
    const rests = await read();
    for (const part of [
      facts,
      '**finished** (steps), step 9 of 9',
      '*Start Workflow* with workflow id `run/page`, task queue `evolve-workflow`',
      '| `npx evolve extend page --steps 20 --add` | `{"run": "page", "extend": {"steps": 20, "add": true}}` |',
      '`npx evolve ui` opens it, at `#/run/page`',
    ])
      expect(rests).toContain(part);
    expect(rests).not.toMatch(/signal|update/);
    expect(await page(`run/${id}/step/000009`)).toContain('**Step 9** of run `page`');
  });

  it('that is being opened says what is wrong, and what can be done', async () => {
    const play = () => {
      throw refusal('the database is away', 'Away');
    };
    world.cast('asked', {}, { openRun: play });
    await world.client.workflow.start('evolutionRun', {
      workflowId: 'run/asked',
      taskQueue: 'evolve-workflow',
      args: [{ run: 'asked', config: { task: 'heilbronn-triangles' } }],
    });
    const text = await shows(
      'parked',
      () => page('run/asked'),
      '**needs attention**, not open yet',
      'database is away',
    );
    expect(text).toContain('| `npx evolve retry asked` | signal `retry` with `{}` or `{"resample": true}` |');
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
    await shows(
      'the reset',
      () => page('run/reset', after!),
      `This one is \`${after}\`; a reset of \`${before}\` made it.`,
    );
    release();
    await world.client.workflow.getHandle('run/reset').result();
    expect(await page('run/reset', before)).toContain(
      'Where this execution is closed and did not complete, the newest execution of `run/reset` says more.',
    );
  });
});
