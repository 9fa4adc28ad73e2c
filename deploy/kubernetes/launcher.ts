// Starts processes in pods of a Kubernetes cluster: each claims a sandbox of a warm pool (agent-sandbox), runs in its pod
// alone, and the claim is deleted with the pod once it has ended. The pool's template confines the pod.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { withRuntime } from '../../evolution/config/levels.ts';
import type { IsolationLevel, OciRuntime } from '../../evolution/types.ts';
import type { Confined, ConfinedSpec, Ending, Launcher, Log } from '../../activities/sandbox/contract/confined.ts';
import { steadyNow } from '../../activities/sandbox/contract/fair-clock.ts';
import { InfrastructureError } from '../../activities/sandbox/contract/types.ts';
import { isOrphan, ownerLives, ownOwner } from '../../activities/sandbox/launchers/docker-connection.ts';
import { clusterAccess, type ClusterSettings } from './access.ts';
import { ClusterApi, type Pod } from './api.ts';
import { openExec } from './exec.ts';
import { confining } from './pod-checks.ts';
import { ended, endingOf, KILLED, type RunningPod } from './pod-ending.ts';
import { createMeter, type Meter } from './pod-meter.ts';
import { guest, imageOf, START, startFrame } from './pod-process.ts';

export type AgentSandboxOptions = {
  readonly cluster: ClusterSettings;
  readonly home: string;
  readonly log: Log;
  readonly runtime?: OciRuntime | undefined;
  /** Only trusted programs will run, so a pod is not tried at the start. */
  readonly trusted?: boolean;
};

const MIB = 1024 * 1024;
const SELF_TEST = guest('pod-self-test.py');

/** A pool that is empty makes a pod first, for which a node may have to be started. */
const CLAIM_MS = 170_000;
const [FIRST_LOOK_MS, LAST_LOOK_MS] = [50, 1_000];
/** The claim of a trusted process ends so long after its worker, which renews it three times as often. */
const RESIDENT_MS = 15 * 60_000;
const REAP_MS = 60_000;
/** It takes some seconds. One that never ends must not hold back every evaluation. */
const SELF_TEST_MS = CLAIM_MS;
const MOST_SAID = 2_000;
/** Reasons of a claim that do not pass by waiting. */
const HOPELESS = ['WarmPoolNotFound', 'TemplateNotFound', 'ClaimExpired'];

/** The end of a resident's claim that is renewed now. */
const residentUntil = (): Date => new Date(steadyNow().getTime() + RESIDENT_MS);

export class AgentSandboxLauncher implements Launcher {
  readonly level: IsolationLevel;
  imageId: string;
  readonly #options: AgentSandboxOptions;
  readonly #pool: string | null;
  readonly #runtime: OciRuntime;
  readonly #owner = ownOwner();
  readonly #residents = new Set<string>();
  readonly #condemned = new Set<string>();
  readonly #renewal: NodeJS.Timeout;
  #connected: Promise<ClusterApi> | undefined;
  #prepared: Promise<ClusterApi> | undefined;

  constructor(options: AgentSandboxOptions) {
    this.#options = options;
    this.#pool = options.cluster.pool;
    this.#runtime = options.runtime ?? 'engine';
    this.level = withRuntime('agent-sandbox', this.#runtime);
    this.imageId = `pool ${this.#pool}`;
    this.#renewal = setInterval(() => this.#renewResidents(), RESIDENT_MS / 3);
    this.#renewal.unref();
  }

  async launch(spec: ConfinedSpec): Promise<Confined> {
    const api = await this.#prepare();
    await this.#removeCondemned(api);
    return this.#start(api, spec);
  }

  /** Removes the claims of owners that are gone, and those past their deadline. */
  async reap(): Promise<number> {
    const { home, log } = this.#options;
    const api = await this.#connect();
    const orphans = (await api.listClaims(`evolve.home=${home}`)).filter(({ metadata: { annotations = {} } }) =>
      isOrphan(annotations, steadyNow(), ownerLives),
    );
    for (const { metadata } of orphans) await api.removeClaim(metadata.name);
    if (orphans.length > 0) log(`reaper: removed ${orphans.length} claim(s) without owner or past their deadline`);
    return orphans.length;
  }

  async close(): Promise<void> {
    clearInterval(this.#renewal);
    const api = await this.#connected?.catch(() => undefined);
    if (api === undefined) return;
    await this.#removeCondemned(api);
    await api.close();
  }

  /** Connects once; after a failure the next call tries again. */
  #connect(): Promise<ClusterApi> {
    this.#connected ??= clusterAccess(this.#options.cluster)
      .then((access) => new ClusterApi(access))
      .catch((error: unknown) => {
        this.#connected = undefined;
        throw error;
      });
    return this.#connected;
  }

  /** Tries a pod before the first program; after a failure the next call tries again. */
  #prepare(): Promise<ClusterApi> {
    this.#prepared ??= this.#connect()
      .then(async (api) => {
        if (this.#options.trusted !== true) await this.#selfTest(api);
        return api;
      })
      .catch((error: unknown) => {
        this.#prepared = undefined;
        throw error;
      });
    return this.#prepared;
  }

  #renewResidents(): void {
    for (const name of this.#residents)
      void this.#connected?.then((api) => api.renewClaim(name, residentUntil())).catch(() => undefined);
  }

  async #remove(api: ClusterApi, name: string): Promise<void> {
    this.#residents.delete(name);
    try {
      await api.removeClaim(name);
      this.#condemned.delete(name);
    } catch {
      this.#condemned.add(name);
    }
  }

  async #removeCondemned(api: ClusterApi): Promise<void> {
    for (const name of [...this.#condemned]) await this.#remove(api, name);
  }

  async #start(api: ClusterApi, spec: ConfinedSpec): Promise<Confined> {
    if (spec.forkserver)
      throw new InfrastructureError(
        'the level agent-sandbox runs one Python program in a pod: set evaluation.sandbox to docker',
      );
    if (this.#pool === null)
      throw new InfrastructureError('expected the name of a SandboxWarmPool in EVOLVE_K8S_POOL, got none');
    const name = `evolve-${randomBytes(10).toString('hex')}`;
    const until = spec.deadline ?? residentUntil();
    await api.createClaim({
      name,
      pool: this.#pool,
      until,
      labels: { 'evolve.home': this.#options.home },
      annotations: {
        'evolve.owner': this.#owner,
        'evolve.run': spec.run,
        'evolve.activity': spec.activity,
        'evolve.deadline': until.toISOString(),
      },
    });
    if (spec.deadline === null) this.#residents.add(name);
    return this.#inPod(api, name, this.#pool, spec);
  }

  /** Runs the program in the pod of the claim, which is removed where that fails. */
  async #inPod(api: ClusterApi, name: string, pool: string, spec: ConfinedSpec): Promise<Confined> {
    let meter: Meter | null = null;
    try {
      const pod = await podFor(api, name, pool);
      const isTrusted = spec.deadline === null;
      const { container, memoryBytes: podMemory } = confining(pod, {
        pool,
        container: this.#options.cluster.container,
        runtime: this.#runtime,
        limits: isTrusted ? null : spec.limits,
      });
      const into = { pod: pod.metadata.name, container: container.name };
      // It is there before any program, which could otherwise speak in its place.
      if (!isTrusted) meter = await createMeter(api, into);
      const { onStdout, onStderr } = spec;
      const main = await openExec(api, { ...into, command: START, onStdout, onStderr });
      main.send(startFrame(spec, { runtime: this.#runtime, podMemory, pod }));
      this.imageId = imageOf(pod, container.name);
      return this.#confine({ api, name, pod: into, main, meter });
    } catch (error) {
      meter?.close();
      await this.#remove(api, name);
      throw error;
    }
  }

  #confine({ api, name, pod, main, meter }: RunningPod): Confined {
    const stopped = Promise.withResolvers<Ending>();
    let isStopped = false;
    const stop = (ending: Ending): Promise<void> => {
      isStopped = true;
      stopped.resolve(ending);
      main.close();
      meter?.close();
      return this.#remove(api, name);
    };
    return {
      send: main.send,
      closeInput: main.closeInput,
      claim: async (unique) => {
        // Looked for before this one has the name: of two attempts the later one must stay. Two that look at the same
        // moment both run, and what they give is stored once.
        const older = await api.listClaims(`evolve.home=${this.#options.home},evolve.name=${unique}`);
        await api.labelClaim(name, { 'evolve.name': unique }).catch((error: unknown) => {
          // A program that passes a limit at once is killed before its claim has the name, and has its ending.
          if (!isStopped) throw error;
        });
        for (const { metadata } of older) await this.#remove(api, metadata.name);
      },
      // The program is gone when its pod is. Nothing that it says until then is read.
      kill: () => stop(ended(KILLED, null)),
      ended: Promise.race([stopped.promise, endingOf({ api, name, pod, main, meter })]),
      markUse: () => meter?.mark(),
      use: () => meter?.use() ?? { cpuMs: null, peakBytes: null },
      ...(meter === null ? {} : { sample: meter.sample }),
      oomKilled: () => meter?.oomKilled() ?? null,
      remove: () => stop(ended(null, 'it was removed')),
    };
  }

  /** Throws where the cluster does not refuse what only it can refuse. */
  async #selfTest(api: ClusterApi): Promise<void> {
    let output = '';
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(0, MOST_SAID);
    };
    const { hostname: host, port, protocol } = api.server;
    const test = await this.#start(api, {
      source: SELF_TEST,
      args: [host.replace(/^\[|\]$/g, ''), port || (protocol === 'https:' ? '443' : '80')],
      limits: { cpuSeconds: 10, memoryBytes: 64 * MIB, pids: 32 },
      run: 'self-test',
      activity: 'preflight',
      deadline: new Date(steadyNow().getTime() + 2 * CLAIM_MS),
      onStdout: collect,
      onStderr: collect,
    });
    const silence = new AbortController();
    const silent = sleep(SELF_TEST_MS, undefined, { ref: false, signal: silence.signal }).then(
      () => ended(null, `it did not end within ${SELF_TEST_MS / 1000} s`),
      () => ended(null, null),
    );
    const { exitCode, lost } = await Promise.race([test.ended, silent]);
    silence.abort();
    await test.remove();
    if (exitCode !== 0)
      throw new InfrastructureError(
        `the self-test in a pod of the SandboxWarmPool ${this.#pool} failed: ${lost ?? (output.trim() || `exit code ${exitCode}`)}; candidates will not be run (docs/operations/sandbox.md)`,
      );
    const { cluster, log } = this.#options;
    log(
      `sandbox: pods of the SandboxWarmPool ${this.#pool} in ${cluster.namespace ?? 'the own namespace'}, image ${this.imageId.slice(0, 19)}; they reach no network`,
    );
  }
}

/** Resolves to the pod of the claim once it is ready. */
const podFor = async (api: ClusterApi, name: string, pool: string): Promise<Pod> => {
  const until = performance.now() + CLAIM_MS;
  let why = 'its controller has not said anything';
  for (let ms = FIRST_LOOK_MS; ; ms = Math.min(LAST_LOOK_MS, ms * 2)) {
    const { status } = await api.getClaim(name);
    const state = status?.conditions?.find(({ type }) => type === 'Ready');
    const sandbox = status?.sandbox?.name;
    if (state?.status === 'True' && sandbox) return api.podOf(sandbox);
    if (state !== undefined) why = [state.reason, state.message].filter(Boolean).join(': ');
    if (HOPELESS.includes(state?.reason ?? ''))
      throw new InfrastructureError(`no sandbox could be claimed: ${why} (EVOLVE_K8S_POOL, EVOLVE_K8S_NAMESPACE)`);
    if (performance.now() > until)
      throw new InfrastructureError(
        `the SandboxWarmPool ${pool} gave no sandbox within ${CLAIM_MS / 1000} s: ${why}; look at the pool, at its pods, and at the controller of agent-sandbox`,
      );
    await sleep(ms);
  }
};

/** Removes at once, and then each minute, what processes left behind that are gone. */
export const startClaimReaper = (launcher: { reap(): Promise<number> }, log: Log): (() => void) => {
  const sweep = (): void => {
    launcher.reap().catch((error: Error) => log(`reaper: ${error.message}; trying again in a minute`));
  };
  sweep();
  const timer = setInterval(sweep, REAP_MS);
  timer.unref();
  return () => clearInterval(timer);
};
