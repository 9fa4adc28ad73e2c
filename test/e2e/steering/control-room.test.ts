// The Temporal UI as a person with many runs uses it: runs, sweeps and a schedule on one stack, and what is done to them
// by hand. Each view holds exactly the rows that it should, and every word for a state is right whenever it is read.
// In full: ten runs of sixty steps, and the worker is killed among them.
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UI_VIEWS } from '../../../client/temporal/ui-views.ts';
import { stepWorkflowId } from '../../../evolution/ids.ts';
import type { RunStatus } from '../../../evolution/run-states.ts';
import type { RunProgress } from '../../../workflows/messages/messages.ts';
import { words } from '../../support/engine/engine.ts';
import { until } from '../../support/machine/home.ts';
import { endpointFor, liveHome, sharedHome } from '../../support/machine/live.ts';
import { startRecorder } from '../../support/engine/recorder.ts';
import { FULL } from '../../support/sizes.ts';

const STEPS = FULL ? 60 : 3;
/** So many that a run is still under way when something is done to it, however slow the machine is. */
const MANY = 100_000;
const LIMIT_MS = FULL ? 900_000 : 120_000;
const PLAIN = FULL ? ['room-plain', 'room-reset', 'room-resumed', 'room-cancelled'] : [];
/** Runs that each meet an endpoint of their own. */
const ALONE = ['room-paced', 'room-rewound', 'room-retried', 'room-parked', 'room-paused', 'room-terminated'];
const RUNS = [...PLAIN, ...ALONE];

// Six runs of some steps where EVOLVE_TEST_ROOM=small asks for them; `npm test` has views and words without a stack.
describe.runIf(FULL || process.env['EVOLVE_TEST_ROOM'] === 'small')('the control room', () => {
  // Only in full does the stack have no other runs, and may its worker be killed.
  const live = FULL ? liveHome('control-room') : sharedHome();
  const before = { ...process.env };
  beforeAll(() => void Object.assign(process.env, live.home.env));
  afterAll(() => {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before);
  });

  const settings = (baseUrl: string, steps = STEPS) => ({
    ...{ batch: 1, responses: 2, limits: { steps }, seed: 3 },
    model: { name: 'small', baseUrl, price: { in: 1, out: 2 } },
    evaluation: { sandbox: 'noop' as const },
  });
  const workflow = (run: string) => live.engine.client.workflow.getHandle(`run/${run}`);
  const startRaw = (workflowType: string, workflowId: string, body: object) =>
    live.engine.client.workflow.start(workflowType, { workflowId, taskQueue: 'evolve-workflow', args: [body] });
  const says = (run: string, ...wanted: readonly RunStatus[]): Promise<unknown> =>
    until(`${run} to be ${wanted.join(' or ')}`, LIMIT_MS, async () =>
      workflow(run)
        .query<RunProgress>('status')
        .then(
          ({ status }) => wanted.includes(status),
          () => false,
        ),
    );
  const reaches = (run: string, step: number) =>
    live.engine.seen(run, `step ${step}`, ({ committedStep }) => committedStep >= step, LIMIT_MS);

  const rowsOf = async (query: string): Promise<readonly WorkflowExecutionInfo[]> => {
    const found: WorkflowExecutionInfo[] = [];
    for await (const one of live.engine.client.workflow.list({ query })) found.push(one);
    return found.filter(({ workflowId }) => FULL || workflowId.includes('/room-'));
  };
  const view = async (name: string, fill: { readonly [word: string]: string } = {}): Promise<readonly string[]> => {
    const { query } = UI_VIEWS.find((one) => one.name === name)!;
    const rows = await rowsOf(query.replaceAll(/<([\w.]+)>/g, (_, word: string) => fill[word] ?? word));
    return rows
      .map(({ workflowId, searchAttributes: { EvoStatus } }) => `${workflowId} ${String(EvoStatus?.[0] ?? '-')}`)
      .sort();
  };
  const counts: { [view: string]: number } = {};
  const expectView = async (name: string, wanted: readonly string[], fill = {}): Promise<void> => {
    const right = JSON.stringify(wanted.toSorted());
    await until(`the view "${name}"`, 30_000, async () => JSON.stringify(await view(name, fill)) === right).catch(
      () => undefined,
    );
    expect.soft(await view(name, fill), name).toEqual(wanted.toSorted());
    counts[name] = wanted.length;
  };

  it('shows each run, sweep and start once, with words that are right whenever they are read', async () => {
    const shared = await endpointFor({ latencyMs: 50 });
    const own = {
      paced: await endpointFor(),
      rewound: await endpointFor(),
      retried: await endpointFor(),
      parked: await endpointFor(),
      paused: await endpointFor(),
      terminated: await endpointFor(),
    };
    const { paced, retried, parked } = own;
    for (const endpoint of Object.values(own)) endpoint.setLatency(FULL ? 100 : 1_000);
    const recorder = startRecorder(live, RUNS, FULL ? 1_000 : 200);
    for (const run of PLAIN)
      await live.engine.start(run, settings(shared.url, ['room-plain', 'room-reset'].includes(run) ? STEPS : MANY));
    for (const [name, { url }] of Object.entries(own)) await live.engine.start(`room-${name}`, settings(url, MANY));
    const spec = (name: string) => ({ name, seeds: FULL ? [1, 2] : [1], base: settings(shared.url, FULL ? 5 : 1) });
    const sweeps = FULL ? ['room-a', 'room-b'] : ['room-a'];
    for (const sweep of sweeps) await startRaw('sweep', `sweep/${sweep}`, spec(sweep));
    const schedule = await live.engine.client.schedule.create({
      scheduleId: 'room-daily',
      spec: { intervals: [{ every: '1 day' }] },
      action: {
        ...{ type: 'startWorkflow', workflowType: 'sweep', workflowId: 'sweep/room-daily' },
        ...{ taskQueue: 'evolve-workflow', args: [{ ...spec('room-{date}-{time}'), seeds: [1] }] },
      },
      state: { paused: true },
    });
    await schedule.trigger();

    const extend = async (run: string): Promise<number> => {
      const { committedStep } = await live.engine.document(run);
      const steps = Math.max(STEPS, committedStep + 1);
      await live.engine.update(run, 'extend', { steps });
      return steps;
    };
    // What a person does, while all of them are under way.
    await reaches('room-retried', 1);
    await reaches('room-parked', 1);
    retried.be('refuses');
    parked.be('refuses');
    await reaches('room-paced', 1);
    paced.setLatency(4_000);
    await workflow('room-paced').signal('pause', { reason: 'lunch' });
    await says('room-paced', 'pausing', 'paused');
    await says('room-retried', 'needs attention');
    await extend('room-retried');
    retried.be('answers');
    retried.setLatency(4_000);
    await workflow('room-retried').signal('retry', {});
    await says('room-retried', 'retrying', 'running', 'finished');
    await reaches('room-rewound', 2);
    await workflow('room-rewound').signal('pause', {});
    await says('room-rewound', 'paused');
    const committed = (await live.engine.document('room-rewound')).committedStep;
    const rewoundSteps = await extend('room-rewound');
    // On a busy machine the engine may give up the task that takes an update; the same id makes it the same update.
    const rewind: { updateId: string; args: [object] } = { updateId: 'room-rewind', args: [{ toStep: 1 }] };
    await until('the rewind to be taken', LIMIT_MS, () =>
      workflow('room-rewound')
        .executeUpdate<unknown, [object]>('rewind', rewind)
        .then(
          () => true,
          (error: unknown) => {
            console.log('the rewind was not taken', words(error));
            if (!/unexpected workflow task failure/.test(words(error))) throw error;
            return false;
          },
        ),
    );
    await reaches('room-terminated', 1);
    await workflow('room-terminated').terminate('by hand');
    await reaches('room-paused', 1);
    await workflow('room-paused').signal('pause', { mode: 'now' });
    await says('room-paced', 'paused');
    const pacedSteps = await extend('room-paced');
    paced.setLatency(0);
    retried.setLatency(0);
    await workflow('room-paced').signal('resume', {});
    await live.engine.seen('room-rewound', 'its first step again', ({ generation }) => generation > 1, LIMIT_MS);
    await workflow('room-rewound').signal('resume', {});
    if (FULL) {
      await reaches('room-reset', STEPS / 6);
      await live.engine.reset('run/room-reset', 'middle');
      await reaches('room-resumed', STEPS / 6);
      await workflow('room-resumed').terminate('by hand');
      await workflow('room-cancelled').cancel();
      await live.home.kill('worker');
      expect((await live.engine.ended('room-resumed', LIMIT_MS)).status).toBe('terminated');
      await startRaw('evolutionRun', 'run/room-resumed', { run: 'room-resumed', extend: { steps: STEPS } });
    }

    const finished = ['room-paced', 'room-rewound', 'room-retried', ...PLAIN.slice(0, 3)];
    for (const run of [...finished, ...PLAIN.slice(3)]) await live.engine.ended(run, LIMIT_MS);
    const swept = async () => {
      const [stored, all] = [await live.engine.store.listSweeps(), await live.engine.store.listRuns()];
      const ours = stored.filter(({ _id: sweep, status }) => sweep.startsWith('room-') && status === 'finished');
      const ended = ours.length === sweeps.length + 1;
      return (
        ended && { names: ours.map(({ _id }) => _id), runs: all.filter(({ sweep }) => sweep?.startsWith('room-')) }
      );
    };
    const { names, runs } = await until('the sweeps to end', LIMIT_MS, swept);
    await says('room-parked', 'needs attention');
    await says('room-terminated', 'terminated');
    // Other settings than those of the run are refused, and the run keeps its row.
    await startRaw('evolutionRun', 'run/room-paced', { run: 'room-paced', config: { batch: 7 } });
    expect(names.filter((name) => /^room-\d{4}-?\d\d-?\d\d/.test(name))).toHaveLength(1);
    expect(runs).toHaveLength(FULL ? 5 : 2);

    const resting = [
      ...finished.map((run) => `run/${run} finished`),
      ...PLAIN.slice(3).map((run) => `run/${run} stopped`),
      ...runs.map(({ run }) => `run/${run} finished`),
      'run/room-terminated terminated',
    ];
    const open = ['run/room-parked needs attention', 'run/room-paused paused'];
    await expectView('needs a person', ['run/room-parked needs attention']);
    await expectView('all runs', [...resting, ...open]);
    await expectView('runs under way', open);
    await expectView('paused runs', ['run/room-paused paused']);
    await expectView('ended runs', resting);
    await expectView('terminated runs', ['run/room-terminated terminated']);
    await expectView('refused starts', ['run/room-paced opening']);
    await expectView(
      'all sweeps',
      names.map((name) => `sweep/${name} finished`),
    );
    for (const name of names)
      await expectView(
        'one sweep with its runs',
        [
          `sweep/${name} finished`,
          ...runs.filter(({ sweep }) => sweep === name).map(({ run }) => `run/${run} finished`),
        ],
        { sweep: name },
      );
    const steps = (run: string, from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => `${stepWorkflowId(run, from + index)} -`);
    await expectView('one run with its steps', ['run/room-paced finished', ...steps('room-paced', 0, pacedSteps)], {
      run: 'room-paced',
    });
    // The steps from 1 to the last one before the rewind were committed, given up and committed again.
    await expectView(
      'one run with its steps',
      ['run/room-rewound finished', ...steps('room-rewound', 0, rewoundSteps), ...steps('room-rewound', 1, committed)],
      { run: 'room-rewound' },
    );
    await expectView('one step', Array<string>(2).fill(`${stepWorkflowId('room-rewound', 2)} -`), {
      run: 'room-rewound',
      '000012': '000002',
    });
    const documents = (await live.engine.store.listRuns()).filter(({ run }) => run.startsWith('room-'));
    const above = (value: (run: (typeof documents)[number]) => number) => {
      const limit = documents.map(value).sort((a, b) => a - b)[Math.floor(documents.length / 2)]!;
      const those = documents.filter((one) => value(one) > limit).map(({ run, status }) => `run/${run} ${status}`);
      return { limit: limit.toFixed(17), those };
    };
    const good = above(({ best }) => best?.score ?? -1);
    await expectView('good runs on a task', good.those, { task: documents[0]!.config.task, '2.6': good.limit });
    await expectView(
      'expensive runs',
      documents.map(({ run, status }) => `run/${run} ${status}`),
      { 5: '0' },
    );
    for (const name of ['updates of policies', 'one policy'])
      await expectView(name, [], { policy: 'none-v0001-00000000' });
    expect.soft(Object.keys(counts).sort()).toEqual(UI_VIEWS.map(({ name }) => name).sort());

    const { faults, words: spoken, ...numbers } = await recorder.stop();
    console.log(
      JSON.stringify({ runs: documents.length, rows: counts, ...numbers, words: Object.fromEntries(spoken) }),
    );
    expect([...new Set(faults)]).toEqual([]);
    expect(spoken.size).toBeGreaterThan(0);
    await workflow('room-parked').signal('stop', { mode: 'now' });
    await workflow('room-paused').signal('stop', { mode: 'now' });
    for (const run of ['room-parked', 'room-paused']) expect((await live.engine.ended(run)).status).toBe('stopped');
    await schedule.delete();
  });
});
