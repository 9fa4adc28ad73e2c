// plan.json and up.json: what the supervisor should keep running, and what runs for a home and where. `evolve up`
// writes the plan, and the supervisor reads it at its start and on SIGHUP.
import { readJson, readJsonOrNull } from '../host/files.ts';
import type { Home } from '../host/home.ts';
import { identityOf, isAlive, type ProcessRef } from '../host/process-identity.ts';
import type { Health } from './health.ts';
import { sha256 } from '../host/sha256.ts';

export type ChildPlan = {
  readonly name: string;
  /** Children of a stage start together, when all of the stages before are healthy; they stop in reverse. */
  readonly stage: number;
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** One whose process reports its port in its ready line may listen on another one. */
  readonly port: number | null;
  readonly log: string;
  readonly health: Health;
  /** Its time to end, unless its environment gives its work a longer one (`stopTimeoutOf`). */
  readonly stopTimeoutMs: number;
  /** Runs go on without it, so nobody waits for it, and its failure is not that of `up`. */
  readonly optional?: true;
  readonly role: string;
};

/** A worker ends 10 s after its grace whatever still runs (workers/process/process.ts), and says so. */
const AFTER_GRACE_MS = 15_000;

/** A process that was told how long its work may take to finish is not killed before that time is over. */
export const stopTimeoutOf = ({ env, stopTimeoutMs }: Pick<ChildPlan, 'env' | 'stopTimeoutMs'>): number => {
  const graceMs = 1000 * (Number(env['EVOLVE_GRACE']) || 0);
  return graceMs === 0 ? stopTimeoutMs : Math.max(stopTimeoutMs, graceMs + AFTER_GRACE_MS);
};

export type Plan = {
  readonly id: string;
  readonly children: readonly ChildPlan[];
  readonly parts: Parts;
  /**
   * Register of the shared Docker engine when an evolve home started that engine. The supervisor then starts it again
   * if it dies.
   */
  readonly dockerRegister: string | null;
};

const digest = (value: unknown): string => sha256(JSON.stringify(value)).slice(0, 16);

/** The role changes when another process would run. `revision` stands for the code that the process runs. */
export const withRole = (child: Omit<ChildPlan, 'role'>, revision: string): ChildPlan => ({
  ...child,
  role: digest([child.file, child.args, Object.entries(child.env).sort(), child.port, revision]),
});

export const makePlan = (plan: Omit<Plan, 'id'>): Plan => ({ ...plan, id: digest(plan) });

/** The variables by which the workers of a home were started; empty where none were. */
export const workersEnvironment = (home: Home): NodeJS.ProcessEnv =>
  readJsonOrNull<Plan>(home.planFile)?.children.find(({ name }) => name === 'worker')?.env ?? {};

/** One process in up.json. The supervisor writes that file for `evolve`, tests and other tools: keep its shape. */
export type UpProcess = ProcessRef & {
  readonly name: string;
  readonly port: number | null;
  readonly log: string;
  /** Hash of command, arguments, environment and code. A different hash means that another process is wanted. */
  readonly role: string;
  readonly healthy: boolean;
  readonly restarts: number;
  /** So often it ended in a row, soon after each start, and how the last time. Left out where it runs on. */
  readonly ended?: { readonly times: number; readonly how: string };
  /** As in ChildPlan. */
  readonly optional?: true;
};

/** The addresses of the parts, the same in the plan and in up.json. */
export type Parts = {
  readonly temporal: {
    readonly address: string;
    readonly namespace: string;
    readonly ui: string | null;
    readonly external: boolean;
  };
  readonly database: {
    readonly uri: string;
    readonly kind: string;
    readonly version: string | null;
    readonly external: boolean;
  };
  /** `level` is the isolation of runs that leave it open. */
  readonly docker: { readonly host: string | null; readonly kind: string; readonly level: string };
  readonly image: { readonly id: string | null };
  /** The address of the trainer's server, also where no run learns yet. */
  readonly trainer?: { readonly url: string };
  /** The file with the token of the page. Left out where the page asks for none. */
  readonly page?: { readonly tokenFile: string };
};

export type UpInfo = Parts & {
  readonly home: string;
  readonly startedAt: string;
  readonly supervisor: ProcessRef & { readonly revision: string };
  /** Id of the plan that these processes follow. */
  readonly plan: string;
  readonly processes: readonly UpProcess[];
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasShape = (value: unknown): value is UpInfo =>
  isRecord(value) &&
  ['supervisor', 'temporal', 'database', 'docker', 'image'].every((key) => isRecord(value[key])) &&
  Array.isArray(value['processes']) &&
  value['processes'].every(
    (one) =>
      isRecord(one) &&
      typeof one['name'] === 'string' &&
      typeof one['pid'] === 'number' &&
      typeof one['identity'] === 'string',
  );

/** Returns null when nothing was started, or when the file cannot be read. In the second case `complain` is told. */
export const readUp = (home: Home, complain: (message: string) => void = () => undefined): UpInfo | null => {
  try {
    const value = readJson(home.upFile);
    if (value === null || hasShape(value)) return value;
    complain(`${home.upFile} does not have the expected keys: treated as absent`);
  } catch (error) {
    complain(`${home.upFile} cannot be read (${(error as Error).message}): treated as absent`);
  }
  return null;
};

/** A process that ended so often in a row will not come up by itself. */
const KEEPS_ENDING = 3;

/** A sentence for each part that the supervisor starts again and again. */
export const keepsEnding = (up: Pick<UpInfo, 'processes'> | null): readonly string[] =>
  (up?.processes ?? []).flatMap(({ name, log, ended }) =>
    ended !== undefined && ended.times >= KEEPS_ENDING
      ? [`${name} keeps ending: ${ended.times} times in a row, the last time with ${ended.how} (log: ${log})`]
      : [],
  );

export type LiveProcess = Pick<UpProcess, 'optional'> & {
  readonly name: string;
  readonly pid: number;
  readonly port: number | null;
  readonly log: string;
  readonly alive: boolean;
  readonly healthy: boolean;
};

/** Processes that runs need, and that are not well. */
export const missedIn = ({ processes }: UpInfo): UpInfo['processes'] =>
  processes.filter((one) => one.optional !== true && (!one.healthy || !isAlive(one)));

/** The processes that up.json names, each with whether it is still there. */
export const processesOf = (home: Home): readonly LiveProcess[] =>
  (readUp(home)?.processes ?? []).map((one) => {
    const alive = isAlive(one);
    const { name, pid, port, log, healthy, optional } = one;
    return { name, pid, port, log, alive, healthy: alive && healthy, ...(optional ? { optional } : {}) };
  });

/** A reference to a process that was just started. */
export const refOf = (pid: number): ProcessRef => ({ pid, identity: identityOf(pid) ?? 'gone' });
