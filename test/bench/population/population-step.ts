// A run that grows by the real planStep and commitStep on the real store, everything between them stored ahead.
import type { StoreActivities } from '../../../activities/interface/run.ts';
import { createCommitStep } from '../../../activities/step/commit/commit-step.ts';
import { createPlanStep } from '../../../activities/step/plan/plan-step.ts';
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import { connectStore } from '../../../activities/store/mongo/connect-store.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { programId } from '../../../evolution/ids.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { createTaskCache } from '../../../workers/process/task-cache.ts';
import { storeChildren, storeInitial, type Writers } from './population-content.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

export const BATCH = 32;
export const RESPONSES = 16;
export const PER_STEP = BATCH * RESPONSES;

export type Grower = Writers &
  Pick<StoreActivities, 'planStep' | 'commitStep'> & {
    readonly loadTask: (id: string) => Promise<Task>;
    readonly close: () => Promise<void>;
  };

export const growerOver = ({ store, sandbox }: Writers): Grower => {
  const loadTask = createTaskCache(store);
  return {
    store,
    sandbox,
    loadTask,
    ...createPlanStep({ store, loadTask }),
    ...createCommitStep({ store, loadTask }),
    close: async () => {
      await Promise.all([store.close(), sandbox.close()]);
    },
  };
};

export const openGrower = async (options: {
  readonly uri: string;
  readonly database: string;
  readonly log: (line: string) => void;
}): Promise<Grower> =>
  growerOver({ store: await connectStore(options), sandbox: await connectStore({ ...options, log: () => {} }) });

/** ThetaEvolve's settings with elites, diverse nodes and inspirations in the prompt. */
export const configFor = (alive: number): RunConfig =>
  configFrom({
    method: 'theta',
    seed: 1,
    batch: BATCH,
    responses: RESPONSES,
    model: { kind: 'openai', name: 'bench', baseUrl: 'http://127.0.0.1:9/v1' },
    population: {
      cap: alive,
      archive: Math.min(1_000, alive),
      islands: 10,
      map: 'grid',
      features: ['score', 'length'],
      bins: 32,
    },
    prompt: { elites: 3, diverse: 2, inspirations: 3 },
  });

/** A run with nothing but its initial program. */
export const createGrowing = async (grower: Grower, run: string, alive: number): Promise<void> => {
  const config = configFor(alive);
  const { evaluatorDigest } = await grower.loadTask(config.task);
  const { run: document } = await grower.store.createRun({
    run,
    config,
    taskDigest: evaluatorDigest,
    evaluatorDigest,
    offlineModel: false,
    createdAt: new Date(),
  });
  const { epoch, version, generation } = await grower.planStep({ run, step: 0, owner: 'bench' });
  const id = programId(run, 0, epoch, 0);
  await storeInitial(grower, document, (await grower.store.getDeltas([id])).get(id)!);
  await grower.commitStep({ run, step: 0, epoch, version, generation, injected: 0, omitted: [] });
};

/** CPU of this process and of the database in planStep and commitStep. */
export type StepTimes = {
  readonly planSeconds: number;
  readonly commitSeconds: number;
  readonly cpuSeconds: number;
  readonly databaseCpuSeconds: number;
  readonly lookupSeconds: number;
};

/**
 * The next step of a run. `repeats`: some candidates are what is known already. `databaseCpu`: seconds that the
 * database has used so far.
 */
export const takeStep = async (
  grower: Grower,
  run: string,
  { repeats = false, databaseCpu = () => 0 }: { readonly repeats?: boolean; readonly databaseCpu?: () => number } = {},
): Promise<StepTimes> => {
  const document = await readRun(grower, run);
  const step = document.committedStep + 1;
  const [plan, planned] = await timed(() => grower.planStep({ run, step, owner: 'bench' }), databaseCpu);
  const { epoch, version, generation, groups, responses } = plan;
  const lookupSeconds = await storeChildren(grower, { document, step, epoch, groups, responses }, repeats);
  const [, committed] = await timed(
    () => grower.commitStep({ run, step, epoch, version, generation, injected: 0, omitted: [] }),
    databaseCpu,
  );
  return {
    planSeconds: planned.seconds,
    commitSeconds: committed.seconds,
    lookupSeconds,
    cpuSeconds: planned.cpuSeconds + committed.cpuSeconds,
    databaseCpuSeconds: planned.databaseCpuSeconds + committed.databaseCpuSeconds,
  };
};

type Timed = { readonly seconds: number; readonly cpuSeconds: number; readonly databaseCpuSeconds: number };

const timed = async <T>(work: () => Promise<T>, databaseCpu: () => number): Promise<readonly [T, Timed]> => {
  const [databaseBefore, cpu, began] = [databaseCpu(), process.cpuUsage(), performance.now()];
  const result = await work();
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return [result, { seconds, cpuSeconds: (user + system) / 1e6, databaseCpuSeconds: databaseCpu() - databaseBefore }];
};

/**
 * Grows a run until at least so many are remembered (candidates made) and, where the cap allows, alive. Some of them
 * repeat others.
 */
export const fill = async (grower: Grower, run: string, programs: number): Promise<void> => {
  for (;;) {
    const { totals, population, config } = await readRun(grower, run);
    if (totals.programs >= programs && population.size >= Math.min(programs, config.population.cap)) return;
    await takeStep(grower, run, { repeats: true });
  }
};

export const readRun = async ({ store }: Pick<Grower, 'store'>, run: string): Promise<RunDocument> => {
  const document = await store.readRun(run);
  if (document === null) throw new Error(`expected run '${run}' in the bench's database, found none`);
  return document;
};
