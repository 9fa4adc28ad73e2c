// What is recorded of runs that learn, with played activities: an update that is waited for, one that runs beside a step,
// one that parks, and learning that is switched off.
import { updateWorkflowId } from '../../../evolution/ids.ts';
import { conductorWorld, refusal } from '../../support/conductor.ts';
import { until } from '../../support/home.ts';
import { learningCast } from '../../support/learning-cast.ts';
import { type Record, recordIn, type Scene, worked } from './fixture.ts';

export type Played = {
  readonly world: ReturnType<typeof conductorWorld>;
  readonly record: Record;
  close(): Promise<void>;
};

export const openPlayed = async (): Promise<Played> => {
  const [before, after]: (() => unknown)[][] = [[], []];
  const world = conductorWorld({}, { beforeAll: (work) => before!.push(work), afterAll: (work) => after!.push(work) });
  for (const work of before!) await work();
  return {
    world,
    record: (name, workflowId, runId) => recordIn(world.client)(name, workflowId, runId),
    async close() {
      for (const work of after!) await work();
    },
  };
};

export const learningScenes = ({ world, record }: Played): readonly Scene[] => {
  const recordRun = async (name: string, run: string): Promise<void> =>
    record(name, `run/${run}`, await worked(world.client, `run/${run}`));
  return [
    async function learning() {
      const { cast } = learningCast(world, 'learning', { steps: 2 });
      const played = cast.play.bind(cast);
      let refused = true;
      cast.play = async (name, asked) => {
        if (name === 'applyUpdate' && asked.step === 1 && refused) throw refusal('loss is NaN', 'NotFinite');
        if (name === 'commitPolicy' && asked.step === 2 && !refused) {
          refused = true;
          throw refusal('generation 1 may not commit', 'SupersededError');
        }
        return played(name, asked);
      };
      const handle = await world.start(cast);
      await until('to be parked', 60_000, async () => {
        const { searchAttributes } = await handle.describe();
        return searchAttributes['EvoNeedsAttention']?.[0] === true;
      });
      refused = false;
      await handle.executeUpdate('setConfig', {
        args: [{ patch: { learning: { optimizer: { learningRate: 1e-6 } } } }],
      });
      await handle.result();
      await recordRun('learning-run', 'learning');
      await record('update', updateWorkflowId('learning', 1));
      await record('overtaken-update', updateWorkflowId('learning', 2));
    },
    async function lagging() {
      const { cast } = learningCast(world, 'lagging', { steps: 4, lag: 1 });
      const release = cast.hold('applyUpdate', ({ step }) => step === 1);
      const handle = await world.start(cast);
      await cast.asked('commitStep', ({ step }) => step === 2);
      await handle.signal('pause', { mode: 'now' });
      await until('to be paused', 60_000, async () => {
        const said = await handle.query<{ readonly status: string }>('status').catch(() => null);
        return said?.status === 'paused';
      });
      await record('interrupted-update', updateWorkflowId('lagging', 1));
      release();
      await handle.signal('resume', {});
      await cast.asked('commitStep', ({ step }) => step === 3);
      await handle.executeUpdate('setConfig', { args: [{ patch: { learning: { on: false } } }] });
      await handle.result();
      await recordRun('lagging-run', 'lagging');
    },
  ];
};
