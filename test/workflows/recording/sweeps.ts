// What is recorded of sweeps of version 0.6.0: how they rest, start and join, and what they do about runs that a person
// stopped.
import { until } from '../../support/home.ts';
import type { Scene } from './fixture.ts';
import { once, type World } from './world.ts';

const spec = (name: string, seeds: readonly number[], more: object = {}) => ({
  name,
  base: { task: 'circle-packing-square-26', batch: 1, responses: 1, limits: { steps: 1 } },
  seeds,
  ...more,
});

export const sweepScenes = ({ world, record, recordWorked, gate }: World): readonly Scene[] => {
  const underWay = async (name: string, seeds: readonly number[]): Promise<readonly string[]> => {
    world.hold((run, step) => run.startsWith(name) && step > 0);
    await world.start(spec(name, seeds), `sweep/${name}`);
    const runs = await world.runsOf(name);
    await until('every run to be at step 1', 120_000, () => runs.every((run) => world.steps(run) > 1));
    return runs;
  };
  return [
    async function restedSweep() {
      await (await world.start(spec('calm', [1, 2]), 'sweep/calm')).result();
      await recordWorked('rested-sweep', 'sweep/calm');
      await record('resting-sweep', 'sweep/calm');
    },
    async function startedAndJoined() {
      world.hold((run) => run.startsWith('night'));
      const name = 'night-{date}';
      const starter = await world.start(spec(name, [1]), 'starter');
      await until('a run', 120_000, () => world.begun.some(({ run }) => run.startsWith('night')));
      const joiner = await world.start(spec(name, [1]), 'joiner');
      await until('the second to join', 120_000, async () =>
        (await joiner.fetchHistory()).events!.some((event) => event.timerStartedEventAttributes),
      );
      await starter.signal('pause', { mode: 'never' });
      await joiner.signal('pause', {});
      await joiner.signal('resume', {});
      world.hold(() => false);
      const { sweep } = await starter.result();
      await joiner.result();
      await record('starter', 'starter');
      await record('joiner', 'joiner');
      await recordWorked('started-sweep', `sweep/${sweep}`);
    },
    async function keptStopped() {
      const runs = await underWay('kept', [1, 2]);
      await world.run(runs[0]!).signal('stop', { mode: 'now' });
      await world.run(runs[1]!).terminate('by a person');
      await world.sweep('kept').result();
      world.hold(() => false);
      await (await world.start(spec('kept', [1, 2]), 'sweep/kept')).result();
      await recordWorked('kept-stopped-sweep', 'sweep/kept');
      await recordWorked('kept-stopped-run', `run/${runs[0]}`);
    },
    async function toldWhileStarting() {
      // The first run opens while the sweep starts the next ones.
      const opening = gate('readRun', (run) => String(run).startsWith('just-'));
      const stopped = opening.reached().then(() => world.sweep('just').signal('stop', { mode: 'now' }));
      await world.start(spec('just', [...Array(12).keys()], { maxParallel: 12 }), 'sweep/just');
      await stopped;
      await world.sweep('just').signal('pause', {});
      await world.sweep('just').signal('pauze', {});
      opening.open();
      await world.sweep('just').result();
      await recordWorked('told-while-starting-sweep', 'sweep/just');
    },
    async function givenUpSweep() {
      const opening = gate(
        'readSweep',
        once((sweep) => sweep === 'unwanted'),
      );
      const sweep = await world.start(spec('unwanted', [1]), 'sweep/unwanted');
      await opening.reached();
      await sweep.signal('stop', {});
      await sweep.result();
      opening.open();
      await record('given-up-sweep', 'sweep/unwanted');
    },
  ];
};
