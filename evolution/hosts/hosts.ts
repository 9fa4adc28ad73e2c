// When a host that gives signs of life counts as there, as silent, and as gone for good.
import { serves } from './needs.ts';

export const BEAT_MS = 5_000;
/** Six signs of life were missed. */
const SILENT_MS = 30_000;
const GONE_MS = 24 * 3_600_000;

type Sign = { readonly seenAt: Date };

/** By the clocks of host and caller. */
export const isSilent = ({ seenAt }: Sign, now: Date): boolean => now.getTime() - seenAt.getTime() > SILENT_MS;
export const isLongGone = ({ seenAt }: Sign, now: Date): boolean => now.getTime() - seenAt.getTime() > GONE_MS;

type Host = Sign & { readonly queues: readonly string[] };

/** Queues of evaluation that runs need and that no host polls. */
export const unserved = (needed: readonly string[], hosts: readonly Host[], now: Date): readonly string[] =>
  needed.filter((queue) => !hosts.some((host) => !isSilent(host, now) && host.queues.includes(queue)));

type Offering = Sign & { readonly gpus: number; readonly memoryBytes: number; readonly labels: readonly string[] };

/** True where one of these hosts, silent or not, could serve a queue. */
export const couldServe = (queue: string, hosts: readonly Offering[]): boolean =>
  hosts.some((host) => serves(host, queue));
