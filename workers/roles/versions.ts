// The versions of the workflows that this process serves besides its own. An execution stays with the version that began
// it, so every older version is served until nothing is open on it. The first look makes the own version the current
// one; later ones wake what rests, so that it goes over too.
import { Client } from '@temporalio/client';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { readFileSync } from 'node:fs';
import { type Payloads, PLAIN_PAYLOADS } from '../../activities/payloads/payloads.ts';
import { endedBy } from '../../client/temporal/ended-calls.ts';
import { RUN_WORKFLOW, SWEEP_WORKFLOW } from '../../evolution/ids.ts';
import {
  buildOf,
  forgetVersions,
  keepVersion,
  type KeptVersion,
  keptVersions,
  type Release,
  releaseOf,
  sdkVersion,
} from '../../deploy/versions/kept-versions.ts';
import { executionsOn, openByVersion, overrideVersion, settleMoved } from '../../deploy/versions/executions.ts';
import {
  DEPLOYMENT,
  makeCurrent,
  polledOn,
  readVersions,
  readWhenRouted,
  type Standing,
  type Version,
} from '../../deploy/versions/versions.ts';
import { HEARTBEAT_SECONDS_OF_BUNDLE, heartbeatPrelude } from '../../workflows/engine/heartbeat.ts';
import { QUEUES } from '../../workflows/engine/queues.ts';
import { versionChanged } from '../../workflows/messages/messages.ts';
import { again } from '../process/again.ts';
import type { Engine } from '../process/connect.ts';
import { WORKFLOW_TASKS } from '../process/tuning.ts';

const EVERY_MS = 5_000;
/** Until the server has seen the first poll, which is a matter of a moment. */
const SOON_MS = 100;
/** Lists follow the executions a moment later, so a version on which nothing is open is served a while longer. */
const LINGER_MS = 60_000;
/** The longest wait of a look until all queues of the server know the current version. */
const ROUTED_MS = 10_000;
/**
 * A signal that comes while a task is under way is given to the workflow right behind it, and such a task says what was
 * known before. The second one finds the workflow at rest.
 */
const WAKES = 2;

/** Makes a worker one of a version. Whatever it begins stays with it until it continues as new. */
export const versioned = (build: string): Pick<WorkerOptions, 'workerDeploymentOptions'> => ({
  workerDeploymentOptions: {
    useWorkerVersioning: true,
    version: { deploymentName: DEPLOYMENT, buildId: build },
    defaultVersioningBehavior: 'PINNED',
  },
});

type MakeWorker = (bundle: string) => Promise<Worker>;

/** Another time than that of the bundle itself stands before its code. */
const bundled = (bundle: string, heartbeatSeconds: number): NonNullable<WorkerOptions['workflowBundle']> =>
  heartbeatSeconds === HEARTBEAT_SECONDS_OF_BUNDLE
    ? { codePath: bundle }
    : { code: heartbeatPrelude(heartbeatSeconds) + readFileSync(bundle, 'utf8') };

/** Makes workers that run workflows, of whichever version. */
export const workflowWorkers =
  (shared: Partial<WorkerOptions>, heartbeatSeconds: number): MakeWorker =>
  async (bundle) =>
    Worker.create({
      ...shared,
      ...versioned(buildOf(bundle)),
      taskQueue: QUEUES.workflow,
      workflowBundle: bundled(bundle, heartbeatSeconds),
      ...WORKFLOW_TASKS,
    });

type Served = { readonly worker: Worker; readonly ended: Promise<void>; neededAtMs: number };

type Options = {
  readonly engine: Pick<Engine, 'connection' | 'namespace'>;
  readonly home: string;
  /** The own bundle. Its worker is not made here. */
  readonly bundle: string;
  readonly make: MakeWorker;
  readonly log: (line: string) => void;
  readonly payloads?: Payloads;
  /** The time between two looks. */
  readonly everyMs?: number;
};

export class Versions {
  readonly #client: Client;
  readonly #options: Options;
  readonly #stopped = new AbortController();
  readonly #served = new Map<string, Served>();
  /** Executions that were moved, so that each is once. */
  readonly #moved = new Set<string>();
  /** The number of times that each execution was woken for each current version. */
  readonly #woken = new Map<string, number>();
  readonly #logged = new Set<string>();
  #own: Release;

  constructor(options: Options) {
    const { connection, namespace } = options.engine;
    const { ofClient } = options.payloads ?? PLAIN_PAYLOADS;
    this.#client = new Client({ connection, namespace, dataConverter: ofClient });
    this.#options = options;
    keepVersion(options.home, options.bundle);
    this.#own = releaseOf(options.home, options.bundle);
  }

  /** Looks until it is stopped. */
  run(): Promise<void> {
    const { signal } = this.#stopped;
    return again({
      ...{ signal, everyMs: this.#options.everyMs ?? EVERY_MS },
      look: async () => {
        const standing = await endedBy(this.#client.connection, signal, () => this.#look());
        return standing.kind === 'unseen' ? SOON_MS : undefined;
      },
      log: (words) => this.#logOnce(`versions of the workflows could not be looked at: ${words}`),
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all([...this.#served.keys()].map((build) => this.#end(build)));
  }

  async #look(): Promise<Standing> {
    const own = this.#release();
    const standing = await makeCurrent(this.#client, own);
    if (standing.kind === 'older')
      this.#logOnce(
        `version ${own.build} (release ${own.release}) serves only what it began: version ${standing.than.build} (release ${standing.than.release}) is newer. \`npx evolve upgrade --current ${own.build}\` makes this one the current one`,
      );
    const versions = await readVersions(this.#client);
    const kept = new Map(keptVersions(this.#options.home).map((one) => [one.build, one]));
    const needed = new Set<string>([own.build]);
    const openOn = await openByVersion(this.#client, versions);
    for (const version of versions) {
      const open = openOn.get(version.build)!;
      if (open > 0 || version.current) needed.add(version.build);
      if (version.build !== own.build) await this.#serve(version, open, kept.get(version.build));
      if (open > 0 && version.current) await settleMoved(this.#client, version.build);
    }
    forgetVersions(this.#options.home, needed);
    await this.#wakeAll(
      own.build,
      standing,
      [...openOn.keys()].filter((build) => openOn.get(build)! > 0),
    );
    return standing;
  }

  /** Older versions are served before this, for it waits. */
  async #wakeAll(own: string, standing: Standing, openOn: readonly string[]): Promise<void> {
    const changed = standing.kind === 'current' && standing.changed;
    if (!changed && openOn.length === 0) return;
    const { versions, routed } = await readWhenRouted(this.#client, ROUTED_MS);
    if (changed) this.#options.log(`new runs begin with version ${own}`);
    // A workflow that is woken earlier hears of the version before, and rests again.
    if (!routed) return;
    const current = versions.find((version) => version.current)?.build;
    for (const build of openOn) if (current !== undefined && build !== current) await this.#wake(build, current);
  }

  /** Other homes may have removed the bundle from the parts that they share: what was known of it holds on. */
  #release(): Release {
    try {
      this.#own = releaseOf(this.#options.home, this.#options.bundle);
    } catch {
      /* See above. */
    }
    return this.#own;
  }

  async #serve({ build, current }: Version, open: number, kept: KeptVersion | undefined): Promise<void> {
    const served = this.#served.get(build);
    if (open > 0 || (current && kept !== undefined)) {
      if (served !== undefined) served.neededAtMs = performance.now();
      else if (kept === undefined) await this.#miss(build, open);
      else if (kept.sdk !== sdkVersion()) await this.#move(kept);
      else await this.#begin(kept);
    } else if (served !== undefined && performance.now() - served.neededAtMs > LINGER_MS) await this.#end(build);
  }

  async #begin({ build, path }: KeptVersion): Promise<void> {
    const worker = await this.#options.make(path);
    const ended = worker.run().catch((error: unknown) => {
      this.#options.log(`the worker of version ${build} failed and is started again: ${(error as Error).message}`);
      this.#served.delete(build);
    });
    this.#served.set(build, { worker, ended, neededAtMs: performance.now() });
    this.#options.log(`serving version ${build} until nothing is open on it`);
  }

  async #end(build: string): Promise<void> {
    const served = this.#served.get(build);
    if (served === undefined) return;
    this.#served.delete(build);
    if (served.worker.getState() === 'RUNNING') served.worker.shutdown();
    await served.ended;
  }

  /** Another host may serve it. Where none does, its executions wait. */
  async #miss(build: string, open: number): Promise<void> {
    if ((await polledOn(this.#client, QUEUES.workflow)).has(build)) return;
    this.#logOnce(
      `version ${build}: ${open} executions are open, no worker of it is there, and its bundle is not in ${this.#options.home}: start the host that has it, or \`npx evolve upgrade --move ${build}\` hands them to the current version`,
    );
  }

  /** Executions that a bundle of another SDK began go on with the current version, which has to replay them. */
  async #move({ build, sdk }: KeptVersion): Promise<void> {
    this.#logOnce(`version ${build} was made with version ${sdk} of the SDK: what is open on it goes on without it`);
    for (const one of await executionsOn(this.#client, build)) {
      const once = `${one.runId} from ${build}`;
      if (this.#moved.has(once)) continue;
      await overrideVersion(this.#client, one, 'current');
      this.#moved.add(once);
    }
  }

  /** A run that is paused, or a sweep whose runs all are, hears of the new version only with a task of its own. */
  async #wake(build: string, current: string): Promise<void> {
    for (const { workflowId, runId } of await executionsOn(this.#client, build, [RUN_WORKFLOW, SWEEP_WORKFLOW])) {
      const woken = `${runId} ${current}`;
      const times = this.#woken.get(woken) ?? 0;
      if (times >= WAKES) continue;
      // It may have ended a moment ago.
      await this.#client.workflow
        .getHandle(workflowId, runId)
        .signal(versionChanged)
        .catch(() => undefined);
      this.#woken.set(woken, times + 1);
    }
  }

  #logOnce(line: string): void {
    if (!this.#logged.has(line)) this.#options.log(line);
    this.#logged.add(line);
  }
}
