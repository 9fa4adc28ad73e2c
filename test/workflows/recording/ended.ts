// What is recorded of runs of version 0.6.0: how they rest, how a start object opens them again, how they park, and what
// people say to them at moments that matter.
import { stepWorkflowId } from '../../../evolution/ids.ts';
import { until } from '../../support/home.ts';
import type { Scene } from './fixture.ts';
import { once, type World } from './world.ts';

const config = (steps: number) => ({
  task: 'circle-packing-square-26',
  ...{ seed: 1, batch: 1, responses: 1, limits: { steps } },
});

export const endedScenes = ({ world, record, recordWorked, start, status, gate }: World): readonly Scene[] => {
  const ended = (run: string) => world.run(run).result();
  const at = (run: string, step: number) =>
    until(`run ${run} to be at step ${step}`, 120_000, () =>
      world.begun.some((one) => one.run === run && one.step === step),
    );
  const held = async (run: string, step: number): Promise<void> => {
    world.hold((of, at) => of === run && at === step);
    await start(run, { config: config(3) });
    await at(run, step);
  };
  const parked = async (run: string): Promise<void> => {
    world.fail((of, step) => of === run && step === 1);
    await start(run, { config: config(1) });
    await status(run, 'needs attention');
  };
  return [
    async function rested() {
      await start('rested', { config: config(2) });
      await ended('rested');
      await recordWorked('rested-run', 'run/rested');
      await record('resting-run', 'run/rested');
      for (const [name, more] of Object.entries({
        extended: { extend: { steps: 1, add: true } },
        patched: { patch: { diff: { maxCodeChars: 40_000 } } },
        'start-rewound': { rewind: { toStep: 2 } },
      })) {
        await start('rested', more);
        await ended('rested');
        await recordWorked(`${name}-run`, 'run/rested');
      }
      await start('forked', { fork: { from: 'rested', atStep: 1, patch: { limits: { steps: 2 } } } });
      await ended('forked');
      await recordWorked('forked-run', 'run/forked');
    },
    async function pausing() {
      await held('pausing', 1);
      const run = world.run('pausing');
      for (const senseless of ['resume', 'retry', 'pauze']) await run.signal(senseless, {});
      await run.signal('pause', { mode: 'today' });
      await run.signal('pause', { reason: 'recording' });
      await status('pausing', 'pausing');
      const marked = gate('setStatus', (_, word) => word === 'paused');
      world.hold((of, step) => of === 'pausing' && step === 2);
      await marked.reached();
      await run.signal('resume', {});
      await status('pausing', 'running');
      marked.open();
      await at('pausing', 2);
      await run.signal('stop', { reason: 'with sweep nothing' });
      await status('pausing', 'stopping');
      await run.signal('pause', {});
      world.hold(() => false);
      await ended('pausing');
      await recordWorked('pausing-run', 'run/pausing');
    },
    async function toldParked() {
      await parked('told');
      await world.run('told').signal('retry', {});
      await until('a second try', 120_000, () => world.steps('told') > 2);
      await status('told', 'needs attention');
      world.fail(() => false);
      await world.run('told').signal('retry', {});
      await ended('told');
      await recordWorked('told-parked-run', 'run/told');
      await record('told-parked-step', stepWorkflowId('told', 1));
    },
    async function resampled() {
      await parked('resampled');
      const resampling = gate('resample');
      await world.run('resampled').signal('retry', { resample: true });
      await resampling.reached();
      await world.run('resampled').signal('pause', {});
      await status('resampled', 'pausing');
      resampling.open();
      await status('resampled', 'paused');
      world.fail(() => false);
      await world.run('resampled').signal('resume', {});
      await ended('resampled');
      await recordWorked('resampled-run', 'run/resampled');
    },
    async function givenUp() {
      const opening = gate(
        'readRun',
        once((run) => run === 'given-up'),
      );
      await start('given-up', { config: config(1) });
      await opening.reached();
      await world.run('given-up').signal('stop', {});
      await ended('given-up');
      opening.open();
      await recordWorked('given-up-run', 'run/given-up');
    },
    async function terminated() {
      await held('terminated', 1);
      await world.run('terminated').terminate('by a person');
      world.hold(() => false);
      await until(
        'the run to be put to rest',
        120_000,
        async () => (await world.run('terminated').describe()).status.name === 'COMPLETED',
      );
      await record('terminated-run', 'run/terminated');
      await start('terminated', {});
      await ended('terminated');
      await recordWorked('resumed-run', 'run/terminated');
    },
  ];
};
