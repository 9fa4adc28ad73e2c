// Where runs and sweeps are recorded whose steps need no parts of their own: a real server, the activities of runs and sweeps that ship, and a store in memory that can be held up.
import { Caretaker, keptRuns } from '../../../workers/caretaker.ts';
import { until } from '../../support/home.ts';
import { sweepWorld } from '../../support/sweep-world.ts';
import { type Record, recordIn, worked } from './fixture.ts';

type Store = ReturnType<typeof sweepWorld>['store'];

export type World = {
  readonly world: ReturnType<typeof sweepWorld>;
  readonly record: Record;
  /** The execution that came to the end, not the one at which a run or a sweep rests. */
  recordWorked(name: string, workflowId: string): Promise<void>;
  /** Starts a run by a start object, as a person does in the Temporal UI. */
  start(run: string, more: object): Promise<void>;
  status(run: string, wanted: string): Promise<unknown>;
  /** Holds a method of the store up, from the next call that is meant, until it is opened. */
  gate(method: keyof Store, meant?: (...args: any[]) => boolean): { reached(): Promise<unknown>; open(): void };
  close(): Promise<void>;
};

/** Only the first of the calls that are meant, for a method that the end needs too. */
export const once = (meant: (...args: any[]) => boolean): ((...args: any[]) => boolean) => {
  let seen = false;
  return (...args) => !seen && (seen = meant(...args));
};

/** `suggestAt`: the length of a history at which the server suggests to continue as new. */
export const openWorld = async (suggestAt?: number): Promise<World> => {
  const [before, after]: (() => unknown)[][] = [[], []];
  const world = sweepWorld(suggestAt === undefined ? {} : { suggestAt }, {
    beforeAll: (work) => before!.push(work),
    afterAll: (work) => after!.push(work),
  });
  for (const work of before!) await work();
  const caretaker = new Caretaker(world.engine, [keptRuns(world.store)]);
  const caring = caretaker.run(console.error);
  const record = recordIn(world.client);
  const store = world.store as unknown as { [method: string]: (...args: any[]) => Promise<unknown> };
  return {
    world,
    record,
    recordWorked: async (name, workflowId) => record(name, workflowId, await worked(world.client, workflowId)),
    async start(run, more) {
      await world.client.workflow.start('evolutionRun', {
        workflowId: `run/${run}`,
        taskQueue: 'evolve-workflow',
        args: [{ run, ...more }],
      });
    },
    status: (run, wanted) =>
      until(`run ${run} to be ${wanted}`, 120_000, async () => {
        const said = await world
          .run(run)
          .query<{ readonly status: string }>('status')
          .catch(() => null);
        return said?.status === wanted;
      }),
    gate(method, meant = () => true) {
      const own = store[method]!;
      let reached = false;
      let open: () => void = () => undefined;
      const opened = new Promise<void>((resolve) => (open = resolve));
      store[method] = async (...args) => {
        if (meant(...args)) {
          reached = true;
          await opened;
        }
        return own.apply(store, args);
      };
      return {
        reached: () => until(`${method} to be called`, 120_000, () => reached),
        open() {
          store[method] = own;
          open();
        },
      };
    },
    async close() {
      caretaker.stop();
      await caring;
      for (const work of after!) await work();
    },
  };
};
