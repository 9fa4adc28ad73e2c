// Schedules as the Temporal UI makes them, on a Temporal server, with the workflows and activities of sweeps that ship:
// which sweeps they start, under which names, and what the library tells of them.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Schedules } from '../../../client/sweeps/schedules.ts';
import { rootOf } from '../../../evolution/root-cause.ts';
import { until } from '../../support/machine/home.ts';
import { sweepWorld, swept } from '../../support/engine/sweep-world.ts';

const world = sweepWorld();
const { store } = world;
const namespace = 'default';
/** Without a home, so that no address of a Temporal UI is known. */
const place = { home: { root: '/nowhere', upFile: '/nowhere/up.json' }, env: {} };
const engine = async () => ({ client: world.client, namespace });
const schedules = new Schedules({ place, engine, store: async () => store } as never);

const fileOf = (name: string) => swept(name, { seeds: [1] });
const finished = (names: readonly string[]) =>
  until(`${names.join(', ')} to be finished`, 60_000, async () =>
    (await Promise.all(names.map((name) => store.readSweep(name)))).every((sweep) => sweep?.status === 'finished'),
  );

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const OVERLAP_SKIP = 1;

/** What the form "Create Schedule" sends. */
const createAsTheForm = (
  scheduleId: string,
  input: object,
  more: { type?: string; cron?: string; start?: string; encoding?: string } = {},
) =>
  world.client.workflowService.createSchedule({
    namespace,
    scheduleId,
    requestId: randomUUID(),
    identity: 'ui',
    schedule: {
      spec: {
        interval: [],
        cronString: [more.cron ?? '30 2 * * *'],
        structuredCalendar: [],
        timezoneName: 'UTC',
        startTime: { seconds: (Date.parse(more.start ?? '2024-01-01') / 1_000) as never },
      },
      action: {
        startWorkflow: {
          workflowId: `by-${scheduleId}`,
          workflowType: { name: more.type ?? 'sweep' },
          taskQueue: { name: 'evolve-workflow' },
          input: {
            payloads: [
              {
                metadata: { encoding: text(more.encoding ?? 'json/plain') },
                data: text(JSON.stringify(input, null, 2)),
              },
            ],
          },
        },
      },
      policies: {
        overlapPolicy: OVERLAP_SKIP,
        catchupWindow: { seconds: 600 as never },
        pauseOnFailure: true,
      },
      state: { paused: false, limitedActions: false },
    },
  });

describe('a schedule that the form made', () => {
  it('makes one sweep for each day of a backfill, named after the day', async () => {
    const days = ['daily-20240105', 'daily-20240106', 'daily-20240107'];
    await createAsTheForm('daily', fileOf('daily-{date}'));
    const range = { from: '2024-01-05', to: '2024-01-08' };
    expect(await schedules.backfill('daily', range)).toEqual({
      times: [5, 6, 7].map((day) => new Date(Date.UTC(2024, 0, day, 2, 30))),
      sweeps: days,
      notBefore: null,
    });
    await finished(days);
    // A start that stands for another day is still of today.
    for (const day of days) expect((await store.readSweep(day))!.createdAt > new Date('2024-02-01')).toBe(true);
    const { recent, ...shown } = await schedules.show('daily');
    expect(shown).toMatchObject({
      sweep: 'daily-{date}',
      when: 'cron 30 2 * * *',
      overlap: 'skip',
      catchup: '10m',
      pauseOnFailure: true,
      paused: false,
      file: fileOf('daily-{date}'),
    });
    expect(recent.map(({ sweep, state }) => [sweep, state])).toEqual(days.toReversed().map((day) => [day, 'finished']));
  });

  it('is listed with the name in its file; one that starts a run with its run; others are left out', async () => {
    await createAsTheForm('listed', fileOf('listed'));
    await createAsTheForm('a-run', { run: 'demo' }, { type: 'evolutionRun', cron: '*/15 8-17 * * 1-5' });
    await createAsTheForm('foreign', {}, { type: 'backup' });
    await createAsTheForm('unreadable', {}, { encoding: 'json/protobuf' });
    const listed = await until('the schedules in the list', 60_000, async () => {
      const found = (await schedules.list()).filter(({ id }) =>
        ['listed', 'a-run', 'foreign', 'unreadable'].includes(id),
      );
      return found.length === 3 ? found : null;
    });
    expect(listed).toMatchObject([
      { id: 'a-run', sweep: null, run: 'demo', when: 'cron */15 8-17 * * 1-5' },
      { id: 'listed', sweep: 'listed', run: null, when: 'cron 30 2 * * *', last: null, paused: false },
      { id: 'unreadable', sweep: null, run: null, when: 'cron 30 2 * * *' },
    ]);
  });

  it('fails with the key where its file is wrong, and is paused by that', async () => {
    await createAsTheForm('wrong', { ...fileOf('wrong'), colour: 'red' });
    await schedules.trigger('wrong');
    const shown = await until('the schedule to be paused', 60_000, async () => {
      const now = await schedules.show('wrong');
      return now.paused ? now : null;
    });
    const { workflow } = shown.recent[0]!;
    const failed = await world.client.workflow
      .getHandle(workflow)
      .result()
      .catch((error: unknown) => rootOf(error).message);
    expect(failed).toContain('colour');
    expect(await store.readSweep('wrong')).toBeNull();
  });

  it('is not paused by a start that finds the sweep of its name under way', async () => {
    world.hold((run) => run.startsWith('shared'));
    await world.start(fileOf('shared'), 'sweep/shared');
    await world.runsOf('shared');
    await createAsTheForm('shared', fileOf('shared'));
    await schedules.trigger('shared');
    const workflow = await until('the start', 60_000, async () => (await schedules.show('shared')).recent[0]?.workflow);
    const start = world.client.workflow.getHandle(workflow!);
    // It looks at the sweep, finds it alive, and waits before it looks again.
    await until('the start to join', 60_000, async () =>
      (await start.fetchHistory()).events!.some((event) => event.timerStartedEventAttributes),
    );
    world.hold(() => false);
    expect(await start.result()).toMatchObject({ sweep: 'shared', status: 'finished', said: expect.any(String) });
    expect(await schedules.show('shared')).toMatchObject({ paused: false, overlap: 'skip' });
  });

  it('is changed by edit, and keeps what was not named', async () => {
    await createAsTheForm('edited', fileOf('edited-{date}'));
    await schedules.edit('edited', {
      cron: '0 2 * * mon-fri',
      timezone: 'Europe/Berlin',
      jitter: '5m',
      overlap: 'buffer-one',
      occurrences: 3,
      note: 'mine',
    });
    expect(
      await until('the change', 60_000, async () => {
        const now = await schedules.show('edited');
        return now.note === 'mine' ? now : null;
      }),
    ).toMatchObject({
      when: 'cron 0 2 * * 1-5 Europe/Berlin',
      jitter: '5m',
      overlap: 'buffer-one',
      occurrences: 3,
      catchup: '10m',
      pauseOnFailure: true,
      file: { name: 'edited-{date}' },
    });
    await expect(schedules.edit('edited', {})).rejects.toThrow('expected something to change');
    await schedules.edit('edited', { every: '6h', jitter: '0s' });
    await until('the other times', 60_000, async () => (await schedules.show('edited')).when === 'every 6h');
  });

  it('is refused a backfill that starts nothing, or that is far too large', async () => {
    await createAsTheForm('often', fileOf('often'), { cron: '* * * * *' });
    const refusal = (from: string, to: string) => schedules.planBackfill('often', { from, to });
    await expect(refusal('2024-01-05T02:00:10', '2024-01-05T02:00:50')).rejects.toThrow('has no start from');
    await expect(refusal('2024-01-05', '2025-01-05')).rejects.toThrow('expected fewer than 1000 starts');
    await expect(refusal('2024-01-05', '2024-01-05')).rejects.toThrow('--to: expected a time after --from');
    await createAsTheForm('late', fileOf('late'), { start: '2024-02-01' });
    await expect(schedules.planBackfill('late', { from: '2024-01-05', to: '2024-01-08' })).rejects.toThrow(
      'it begins at 2024-02-01T00:00:00.000Z, which `npx evolve schedule edit late --from 2024-01-05` changes',
    );
    expect(await schedules.planBackfill('late', { from: '2024-01-31', to: '2024-02-02' })).toMatchObject({
      times: [new Date('2024-02-01T02:30:00Z')],
      notBefore: new Date('2024-02-01T00:00:00Z'),
    });
    await expect(schedules.planBackfill('oftn', { from: '2024-01-05', to: '2024-01-06' })).rejects.toThrow(
      'there is no schedule "oftn"',
    );
    expect(await refusal('2024-01-05T02:00', '2024-01-05T02:02')).toMatchObject({ sweeps: ['often'] });
  });
});
