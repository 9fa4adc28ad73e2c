// How a run ends: the execution that did its work continues as new into one that says how it ended, and completes. So
// the engine's lists have one row of each run that is open or completed.
import { describe, expect, it } from 'vitest';
import { startRest } from '../../../client/upkeep/rest.ts';
import { isOpen } from '../../../client/temporal/workflow.ts';
import { conductorWorld } from '../../support/engine/conductor.ts';
import { until } from '../../support/machine/home.ts';
import { internal } from '../../../workflows/engine/form.ts';

const world = conductorWorld();
const rows = async (run: string) => {
  const found = [];
  for await (const { status, memo, searchAttributes } of world.client.workflow.list({
    query: `WorkflowId = "run/${run}"`,
  }))
    found.push({ status: status.name, rests: memo?.['EvoAtRest'] === true, word: searchAttributes['EvoStatus']?.[0] });
  return found.sort((a, b) => (a.status < b.status ? -1 : 1));
};
const rowsOf = async (run: string, count: number) => {
  // The list follows a moment later.
  return until(`${count} closed rows of ${run}`, 30_000, async () => {
    const found = await rows(run);
    return found.length === count && found.every((row) => row.status !== 'RUNNING') ? found : null;
  });
};
const status = (run: string) => world.client.workflow.getHandle(`run/${run}`).query('status');
const engine = () => ({ client: world.client }) as never;

describe('a run that has ended', () => {
  it('finished: has one completed row, gives its result, says its state, and refuses messages in words', async () => {
    const handle = await world.start(world.cast('done'));
    expect(await handle.result()).toEqual({ run: 'done', status: 'finished', stopReason: 'steps', steps: 1 });
    expect(await rowsOf('done', 2)).toEqual([
      { status: 'COMPLETED', rests: true, word: 'finished' },
      { status: 'CONTINUED_AS_NEW', rests: false, word: 'finished' },
    ]);
    expect(await status('done')).toMatchObject({ status: 'finished', step: 1 });
    expect(await isOpen(engine(), 'run/done')).toBe(false);
    // Completed, not running: the server knows nothing more of it that could take a message.
    await expect(handle.signal('pause', {})).rejects.toThrow();
  });

  it('cancelled in the UI: it rests as stopped', async () => {
    const cast = world.cast('cancelled');
    cast.hold('generate');
    const handle = await world.start(cast);
    await cast.asked('generate');
    await handle.cancel();
    expect(await handle.result()).toMatchObject({ status: 'stopped', stopReason: 'cancelled in the workflow engine' });
    expect((await rowsOf('cancelled', 2))[0]).toEqual({ status: 'COMPLETED', rests: true, word: 'stopped' });
  });

  it('a message that comes while the end is written down counts', async () => {
    const limits = { steps: 1, programs: null, tokens: null, costUsd: null, wallSeconds: null, targetScore: null };
    const cast = world.cast(
      'overtaken',
      {},
      {
        changeSettings: () => ({
          version: 2,
          changed: ['limits.steps'],
          settings: { configVersion: 2, limits: { ...limits, steps: 2 } },
        }),
      },
    );
    const written = cast.hold('markRun', ({ status: word }) => word === 'finished');
    const handle = await world.start(cast);
    await cast.asked('markRun', ({ status: word }) => word === 'finished');
    await handle.executeUpdate('extend', { args: [{ steps: 2 }] });
    written();
    expect(await handle.result()).toMatchObject({ status: 'finished', steps: 2 });
    expect((await rowsOf('overtaken', 2)).map((row) => row.status)).toEqual(['COMPLETED', 'CONTINUED_AS_NEW']);
  });

  it('of messages that come at the same moment, each adds to what the others made', async () => {
    const limits = { steps: 1, programs: null, tokens: null, costUsd: null, wallSeconds: null, targetScore: null };
    let version = 1;
    const cast = world.cast(
      'together',
      {},
      {
        changeSettings: async ({ change }) => {
          const settings = {
            configVersion: ++version,
            limits: { ...limits, ...(change as { limits: object }).limits },
          };
          await new Promise((resolve) => setTimeout(resolve, 20));
          return { version, changed: ['limits.steps'], settings };
        },
      },
    );
    const asked = cast.hold('generate');
    const handle = await world.start(cast);
    await cast.asked('generate');
    const ten = Array.from({ length: 10 }, () => handle.executeUpdate('extend', { args: [{ steps: 2, add: true }] }));
    const said = (await Promise.all(ten)) as readonly { readonly steps: number }[];
    expect(said.map(({ steps }) => steps).sort((a, b) => a - b)).toEqual([3, 5, 7, 9, 11, 13, 15, 17, 19, 21]);
    asked();
    await handle.cancel();
    await handle.result();
  });

  it('a person cannot start a run at its rest', async () => {
    await expect(
      world.client.workflow.execute('evolutionRun', {
        workflowId: 'run/typed',
        taskQueue: 'evolve-workflow',
        args: [{ run: 'typed', rest: { status: 'finished', reason: 'typed' } }],
      }),
    ).rejects.toMatchObject({ cause: { message: expect.stringContaining('"rest" is internal') } });
  });

  it('a person cannot mark an execution that works as one that rests, which may be deleted', async () => {
    for (const [type, id, args] of [
      ['evolutionRun', 'run/marked', { run: 'marked', config: { limits: { steps: 1 } } }],
      ['sweep', 'sweep/marked', { name: 'marked', seeds: [1] }],
    ] as const)
      await expect(
        world.client.workflow.execute(type, {
          workflowId: id,
          taskQueue: 'evolve-workflow',
          args: [args],
          memo: { EvoAtRest: true },
        }),
      ).rejects.toMatchObject({ cause: { message: expect.stringContaining('"EvoAtRest" of the memo is not for') } });
  });

  it('a reason of any length is taken where a run is ended from outside', async () => {
    const ends: unknown[] = [];
    world.cast(
      'talked',
      {},
      {
        endRun: (asked: unknown) => {
          ends.push(asked);
          return { status: 'terminated', stopReason: 'terminated', brief: null };
        },
      },
    );
    expect(await startRest(world.client, 'talked', `terminated by ann: ${'because '.repeat(1_000)}`)).toBe(true);
    expect(await world.client.workflow.getHandle('run/talked').result()).toMatchObject({ status: 'terminated' });
    expect(ends).toEqual([{ run: 'talked', reason: expect.stringMatching(/^terminated by ann: because /) }]);
  });

  it('ended from outside: its last execution writes down the end, waits for the database, and refuses messages', async () => {
    let away = true;
    const cast = world.cast(
      'ended',
      {},
      {
        endRun: () => {
          if (away) throw new Error('the database is away');
          return { status: 'terminated', stopReason: 'terminated by ann', brief: null };
        },
      },
    );
    const handle = await world.client.workflow.start('evolutionRun', {
      workflowId: 'run/ended',
      taskQueue: 'evolve-workflow',
      args: [{ run: 'ended', rest: internal({ status: 'terminated', reason: 'terminated by ann', unwritten: true }) }],
      memo: { EvoAtRest: true },
    });
    await cast.asked('endRun');
    await handle.signal('pause', { mode: 'now' });
    // Names that begin as the SDK's own do.
    await handle.signal('__temporal_nothing');
    await expect(handle.executeUpdate('__temporal_nothing', { args: [{}] })).rejects.toThrow();
    await expect(handle.executeUpdate('extend', { args: [{ steps: 9 }] })).rejects.toMatchObject({
      cause: { message: expect.stringContaining('run ended has ended (terminated: terminated by ann)') },
    });
    expect(await isOpen(engine(), 'run/ended')).toBe(false);
    away = false;
    expect(await handle.result()).toMatchObject({ status: 'terminated' });
    expect(cast.of('writeResults')).toHaveLength(1);
    expect(await rowsOf('ended', 1)).toEqual([{ status: 'COMPLETED', rests: true, word: 'terminated' }]);
  });
});
