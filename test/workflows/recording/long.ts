// What is recorded on a server that suggests to continue as new after a short history: a run and a sweep that are paused,
// to which messages come until they go on as new.
import { until } from '../../support/home.ts';
import type { Scene } from './fixture.ts';
import type { World } from './world.ts';

export const SUGGEST_AT = 80;

const config = (steps: number) => ({
  task: 'circle-packing-square-26',
  ...{ batch: 1, responses: 1, limits: { steps } },
});

export const longScenes = ({ world, record, recordWorked, start, status }: World): readonly Scene[] => [
  async function pausedLong() {
    world.hold((_, step) => step === 1);
    await start('long-paused', { config: config(3) });
    await until('step 1', 120_000, () => world.steps('long-paused') > 1);
    const { runId } = await world.run('long-paused').describe();
    await world.run('long-paused').signal('pause', {});
    world.hold(() => false);
    await status('long-paused', 'paused');
    await until('a continue-as-new', 120_000, async () => {
      await world.run('long-paused').signal('pause', { reason: 'still' });
      return (await world.run('long-paused').describe()).runId !== runId;
    });
    await world.run('long-paused').signal('resume', {});
    await world.run('long-paused').result();
    await record('long-paused-run', 'run/long-paused', runId);
  },
  async function continuedSweep() {
    world.hold((run, step) => run.startsWith('continued') && step > 0);
    await world.start({ name: 'continued', base: config(1), seeds: [1, 2], maxParallel: 1 }, 'sweep/continued');
    const [run] = await world.runsOf('continued');
    await until('step 1', 120_000, () => world.steps(run!) > 1);
    const sweep = world.sweep('continued');
    const { runId } = await sweep.describe();
    await sweep.signal('pause', {});
    // None of its runs is alive, and one still waits for its turn.
    await world.run(run!).signal('stop', { mode: 'now' });
    await world.run(run!).result();
    world.hold(() => false);
    await until('a continue-as-new', 120_000, async () => {
      await sweep.signal('pause', { reason: 'still' });
      return (await sweep.describe()).runId !== runId;
    });
    await sweep.signal('resume', {});
    await sweep.result();
    await record('continued-sweep', 'sweep/continued', runId);
    await recordWorked('continuing-sweep', 'sweep/continued');
  },
];
