// Sweeps: through SIGKILL of everything, as a schedule that is typed into the Temporal UI, with successive halving,
// and by the schedule commands.
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../support/models/endpoint.ts';
import { until } from '../../support/machine/home.ts';
import { endpointFor, liveHome } from '../../support/machine/live.ts';
import { FULL } from '../../support/sizes.ts';
import { expectWhole } from '../../support/machine/whole.ts';

const STEPS = 3;
const PER_STEP = 4;
const GRID = { 'population.bins': [5, 10], 'selection.exploration': [0.1, 0.3] };
/** A sweep that is killed is of half the size in between. */
const KILLED = FULL ? GRID : { 'population.bins': [5, 10] };
const RUNS = FULL ? 8 : 4;

describe('sweeps', () => {
  const live = liveHome('sweeps');
  const spec = (name: string, { url }: Endpoint, more: object = {}) => ({
    name,
    maxParallel: 2,
    seeds: [1, 2],
    grid: GRID,
    base: {
      batch: 2,
      responses: 2,
      limits: { steps: STEPS },
      model: { name: 'small', baseUrl: url },
      evaluation: { sandbox: 'noop' },
    },
    ...more,
  });
  const fileOf = (content: { readonly name: string }): string => {
    const file = join(live.home.dir, `${content.name}.json`);
    writeFileSync(file, JSON.stringify(content));
    return file;
  };
  const report = (sweep: string): Promise<any> => live.home.json(['sweep', 'report', sweep]);
  const sweepEnded = (sweep: string) =>
    until(
      `sweep ${sweep} to end`,
      150_000,
      async () => (await live.engine.store.readSweep(sweep))?.status === 'finished',
    );
  /** Executions of evolutionRun that belong to the sweep, by workflow id. */
  const executions = async (sweep: string): Promise<readonly string[]> => {
    const ids: string[] = [];
    for await (const one of live.engine.client.workflow.list({
      query: `EvoSweepId = "${sweep}" AND WorkflowType = "evolutionRun" AND ExecutionStatus IN ("Running", "Completed")`,
    }))
      ids.push(one.workflowId);
    return ids.sort();
  };
  const expectRuns = async (sweep: string, count: number): Promise<void> => {
    const found = await report(sweep);
    expect(found.runs).toHaveLength(count);
    expect(found.states).toEqual({ finished: count });
    expect(found.groups).toHaveLength(count / 2);
    for (const group of found.groups)
      expect(group).toMatchObject({
        runs: 2,
        programs: 2 * STEPS * PER_STEP,
        // Scores of `noop` are invented, so they are compared with none.
        mean: null,
        sd: null,
        best: null,
      });
    const ids = found.runs.map(({ run }: { run: string }) => run);
    for (const id of ids) expect(id).toMatch(new RegExp(`^${sweep}-[0-9a-f]{8}-s[12]$`));
    await until('the index to know every run', 20_000, async () => (await executions(sweep)).length >= count);
    expect(await executions(sweep)).toEqual(ids.map((id: string) => `run/${id}`).sort());
    expect(
      (await live.home.json(['list']))
        .map(({ run }: { run: string }) => run)
        .filter((run: string) => run.startsWith(`${sweep}-`))
        .sort(),
    ).toEqual([...ids].sort());
  };

  it('killed in the middle, twice, and started again: every run, none twice, the report complete', async () => {
    const endpoint = await endpointFor({ latencyMs: 250 });
    const file = fileOf(spec('killed', endpoint, { grid: KILLED }));
    await live.must('sweep', file, '--detach');
    const finished = (most: number) =>
      until(
        `${most} runs of the sweep`,
        90_000,
        async () =>
          (await live.engine.store.listRuns().catch(() => [])).filter(
            ({ sweep, status }) => sweep === 'killed' && status === 'finished',
          ).length >= most,
      );
    await finished(1);
    for (const victim of ['temporal', 'worker', 'sandbox']) process.kill(live.home.pid(victim), 'SIGKILL');
    await finished(RUNS / 2);
    const { supervisor, processes } = live.home.up();
    for (const { pid } of [supervisor as { pid: number }, ...processes.filter(({ name }) => name !== 'dockerd')])
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        /* died with another */
      }
    await live.must('up');
    const again = await live.home.evolve(['sweep', file]);
    expect(again.code, again.stdout + again.stderr).toBe(0);
    await live.reconnect();
    await expectRuns('killed', RUNS);
    for (const { run } of (await report('killed')).runs.slice(1, 4))
      await expectWhole(live.engine.store, run, { steps: STEPS, perStep: PER_STEP });

    const csv = join(live.home.dir, 'killed.csv');
    await live.must('sweep', 'report', 'killed', '--csv', csv);
    const [heading, ...rows] = readFileSync(csv, 'utf8').trim().split('\r\n');
    expect(heading).toMatch(new RegExp(`^group,${Object.keys(KILLED).join(',')},runs,mean,sd,best,`));
    expect(rows).toHaveLength(RUNS / 2);
    const asked = endpoint.asked.length;
    await live.must('sweep', file);
    await expectRuns('killed', RUNS);
    expect(endpoint.asked).toHaveLength(asked);
  });

  it('a sweep typed into the UI\'s "Create Schedule" form and triggered: each run once', async () => {
    const endpoint = await endpointFor();
    const [namespace, scheduleId] = [live.home.up().temporal.namespace, 'typed'];
    const text = (value: string): Uint8Array => new TextEncoder().encode(value);
    // What the form sends: the text of the input field as one payload with the encoding that the form offers.
    await live.engine.client.workflowService.createSchedule({
      namespace,
      scheduleId,
      requestId: randomUUID(),
      identity: 'ui',
      schedule: {
        spec: { interval: [{ interval: { seconds: 86_400 as never } }] },
        action: {
          startWorkflow: {
            workflowId: 'sweep/typed',
            workflowType: { name: 'sweep' },
            taskQueue: { name: 'evolve-workflow' },
            input: {
              payloads: [
                {
                  metadata: { encoding: text('json/plain') },
                  data: text(JSON.stringify(spec('typed', endpoint, { grid: { 'population.bins': [5] } }), null, 2)),
                },
              ],
            },
          },
        },
        state: { paused: true, notes: 'by a test' },
      },
    });
    await live.engine.client.workflowService.patchSchedule({
      namespace,
      scheduleId,
      identity: 'ui',
      patch: { triggerImmediately: {} },
    });
    await sweepEnded('typed');
    await expectRuns('typed', 2);
    await live.must('schedule', 'delete', 'typed');
  });

  it('successive halving: losers stop at equal numbers of programs and say why, survivors come to their own end; signals without sense change nothing', async () => {
    const endpoint = await endpointFor();
    const halved = spec('halved', endpoint, {
      seeds: [1],
      stopWhen: { halving: { first: 4, factor: 2 } },
      maxParallel: 4,
    });
    const file = fileOf({ ...halved, base: { ...halved.base, limits: { steps: 4 } } } as never);
    await live.must('sweep', file, '--detach');
    const handle = live.engine.client.workflow.getHandle('sweep/halved');
    for (const [signal, body] of [
      ['stop', { mode: 'noww' }],
      ['pause', 'now'],
    ] as const)
      await handle.signal(signal, body);
    await live.must('sweep', file);
    const found = await report('halved');
    expect(found.decisions.map(({ programs, stopped }: any) => [programs, stopped.length])).toEqual([
      [4, 2],
      [8, 1],
    ]);
    const stoppedAt = new Map<number, number>(
      found.decisions.flatMap(({ programs, stopped }: any) => stopped.map((group: number) => [group, programs])),
    );
    for (const { group, programs, state, stopReason } of found.runs) {
      expect([state, programs]).toEqual(
        stoppedAt.has(group) ? ['stopped', stoppedAt.get(group)] : ['finished', 4 * PER_STEP],
      );
      expect(stopReason).toMatch(
        stoppedAt.has(group) ? /^sweep halved: rank [2-4] of [24] configurations at [48] programs$/ : /^steps$/,
      );
    }
    const asked = endpoint.asked.length;
    await live.must('sweep', file);
    expect((await report('halved')).runs).toEqual(found.runs);
    expect((await report('halved')).decisions).toEqual(found.decisions);
    expect(endpoint.asked).toHaveLength(asked);
  });

  it('a sweep that is wrong fails with the key, before any run exists', async () => {
    const endpoint = await endpointFor();
    const start = (body: object) =>
      live.engine.client.workflow
        .execute('sweep', { workflowId: 'sweep/wrong', taskQueue: 'evolve-workflow', args: [body] })
        .then(
          () => 'taken',
          (error: Error) =>
            `${error.message} ${(error.cause as Error)?.message} ${((error.cause as Error)?.cause as Error)?.message}`,
        );
    expect(await start(spec('wrong', endpoint, { grid: { 'population.binz': [5] } }))).toContain('population.binz');
    expect(await start(spec('wrong', endpoint, { grid: { batch: [2, 'many'] } }))).toContain('batch');
    expect(await start(spec('wrong', endpoint, { colour: 'red' }))).toContain('colour');
    expect(await live.engine.store.readSweep('wrong')).toBeNull();
    expect((await live.engine.store.listRuns()).filter(({ run }) => run.startsWith('wrong'))).toEqual([]);
    expect((await live.home.evolve(['sweep', fileOf(spec('wrong', endpoint, { seeds: [] }))])).code).toBe(2);
  });

  it('evolve schedule create, list, trigger, pause, unpause, delete', async () => {
    const endpoint = await endpointFor();
    const file = fileOf(spec('nightly', endpoint, { grid: undefined, seeds: [1] }));
    await live.must('schedule', 'create', file, '--every', '6h', '--id', 'nightly');
    expect((await live.home.evolve(['schedule', 'create', file, '--every', '6h', '--id', 'nightly'])).code).toBe(2);
    const listed = () =>
      until('the schedule in the list', 20_000, async () =>
        (await live.home.json(['schedule', 'list'])).find(({ id }: { id: string }) => id === 'nightly'),
      );
    expect(await listed()).toMatchObject({ id: 'nightly', paused: false, sweep: 'nightly' });
    await live.must('schedule', 'pause', 'nightly');
    await until('paused in the list', 20_000, async () => (await listed()).paused);
    await live.must('schedule', 'unpause', 'nightly');
    await until('not paused in the list', 20_000, async () => !(await listed()).paused);
    await live.must('schedule', 'trigger', 'nightly');
    await sweepEnded('nightly');
    expect((await report('nightly')).runs).toMatchObject([{ state: 'finished', programs: STEPS * PER_STEP }]);
    await live.must('schedule', 'edit', 'nightly', '--overlap', 'buffer-one', '--catchup', '1h');
    const shown = await live.home.json(['schedule', 'show', 'nightly']);
    expect(shown).toMatchObject({ when: 'every 6h', overlap: 'buffer-one', catchup: '1h', pauseOnFailure: true });
    expect(shown.recent).toMatchObject([{ sweep: 'nightly', state: 'finished' }]);
    const two = ['--from', '2024-01-05', '--to', '2024-01-07'];
    expect(await live.home.json(['schedule', 'backfill', 'nightly', ...two])).toMatchObject({
      started: false,
      sweeps: ['nightly'],
      times: expect.objectContaining({ length: 8 }),
    });
    await live.must('schedule', 'delete', 'nightly');
    expect((await live.home.evolve(['schedule', 'trigger', 'nightly'])).code).toBe(2);
  });

  it('a sweep and a run that name no model, as the UI starts them, take the one that `evolve up` was given', async () => {
    const endpoint = await endpointFor();
    const up = await live.home.evolve(['up'], { OPENAI_BASE_URL: endpoint.url, EVOLVE_MODEL: 'small' });
    expect(up.stdout).toContain(`take small at ${endpoint.url}`);
    expect(await live.must('doctor')).toContain(`take small at ${endpoint.url}`);
    const base = { batch: 1, responses: 1, limits: { steps: 1 }, evaluation: { sandbox: 'noop' } };
    const start = (type: string, workflowId: string, body: object) =>
      live.engine.client.workflow.start(type, { workflowId, taskQueue: 'evolve-workflow', args: [body] });
    await start('sweep', 'sweep/unnamed', { name: 'unnamed', base, seeds: [1] });
    await start('evolutionRun', 'run/unnamed-run', { run: 'unnamed-run', config: base });
    await sweepEnded('unnamed');
    await live.engine.ended('unnamed-run');
    const { runs } = (await live.engine.store.readSweep('unnamed'))!;
    for (const run of ['unnamed-run', ...runs.map((one) => one.run)])
      expect((await live.engine.document(run)).config.model).toMatchObject({ name: 'small', baseUrl: endpoint.url });
    expect(endpoint.asked).toHaveLength(2);
    expect((await live.home.evolve(['up'], { EVOLVE_MODEL: 'offline' })).stdout).toContain('take no language model');
  });
});
