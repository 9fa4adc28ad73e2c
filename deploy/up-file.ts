// up.json: what runs for a home and where. Written by the supervisor, read by `evolve`, by tests and by other tools (keep its shape).
import { readJson } from './files.ts';
import type { Home } from './home.ts';
import { identityOf, isAlive, type ProcessRef } from './process-identity.ts';

export type UpProcess = ProcessRef & {
  readonly name: string;
  readonly port: number | null;
  readonly log: string;
  /** Hash of command, arguments, environment and code: another one means another process is wanted. */
  readonly role: string;
  readonly healthy: boolean;
  readonly restarts: number;
};

/** Where the parts are: the same in the plan and in up.json. */
export type Parts = {
  readonly temporal: { readonly address: string; readonly namespace: string; readonly ui: string | null; readonly external: boolean };
  readonly database: { readonly uri: string; readonly kind: string; readonly version: string | null; readonly external: boolean };
  readonly docker: { readonly host: string | null; readonly kind: string };
  readonly image: { readonly id: string | null };
  readonly offlineModel: { readonly url: string | null };
};

export type UpInfo = Parts & {
  readonly home: string;
  readonly startedAt: string;
  readonly supervisor: ProcessRef & { readonly revision: string };
  /** Id of the plan that these processes follow. */
  readonly plan: string;
  readonly processes: readonly UpProcess[];
};

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const hasShape = (value: unknown): value is UpInfo =>
  isRecord(value) && ['supervisor', 'temporal', 'database', 'docker', 'image', 'offlineModel'].every((key) => isRecord(value[key]))
  && Array.isArray(value['processes'])
  && value['processes'].every((one) => isRecord(one) && typeof one['name'] === 'string' && typeof one['pid'] === 'number' && typeof one['identity'] === 'string');

/** Null when nothing was started, or when the file cannot be read: `complain` is then told. */
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

export type LiveProcess = { readonly name: string; readonly pid: number; readonly port: number | null; readonly log: string; readonly alive: boolean; readonly healthy: boolean };

/** The processes that up.json names, each with whether it is still there. */
export const processesOf = (home: Home): readonly LiveProcess[] => (readUp(home)?.processes ?? []).map((one) => {
  const alive = isAlive(one);
  return { name: one.name, pid: one.pid, port: one.port, log: one.log, alive, healthy: alive && one.healthy };
});

/** A reference to a process that was just started. */
export const refOf = (pid: number): ProcessRef => ({ pid, identity: identityOf(pid) ?? 'gone' });
