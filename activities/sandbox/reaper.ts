// Removes containers of this home that are past their deadline or whose owner process is gone (reference `sandbox`, section 7).
// Started by docker-sandbox.ts; containers of other homes are never touched.
import type Docker from 'dockerode';
import type { Log } from './confined.ts';
import { removeContainer } from './docker-connection.ts';
import { ownerLives } from './owner.ts';

const PERIOD_MS = 60_000;

/** Pure but for `lives`: whether a container with these labels should go. */
export const isOrphan = (labels: { readonly [name: string]: string }, now: Date, lives: (owner: string) => boolean): boolean => {
  const deadline = Date.parse(labels['evolve.deadline'] ?? '');
  return (!Number.isNaN(deadline) && deadline < now.getTime()) || !lives(labels['evolve.owner'] ?? '');
};

export type Reaper = { sweep(): Promise<number>; close(): void };

export const createReaper = (options: { docker: Docker; home: string; log: Log; periodMs?: number }): Reaper => {
  const sweep = async (): Promise<number> => {
    const listed = await options.docker.listContainers({ all: true, filters: JSON.stringify({ label: [`evolve.home=${options.home}`] }) });
    const orphans = listed.filter(container => isOrphan(container.Labels, new Date(), ownerLives));
    for (const orphan of orphans) await removeContainer(options.docker, orphan.Id);
    if (orphans.length > 0) options.log(`reaper: removed ${orphans.length} container(s) without owner or past their deadline`);
    return orphans.length;
  };
  const timer = setInterval(() => {
    sweep().catch((error: Error) => options.log(`reaper: ${error.message}; trying again in a minute`));
  }, options.periodMs ?? PERIOD_MS);
  timer.unref();
  return { sweep, close: () => clearInterval(timer) };
};
