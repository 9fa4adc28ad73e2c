// Stops everything of a home and makes sure that nothing of it is left: no process, no container, no use of the Docker
// engine.
import { rmSync } from 'node:fs';
import { readJsonOrNull } from '../host/files.ts';
import type { Home } from '../host/home.ts';
import { lockHolder } from '../host/lock.ts';
import { isAlive, markedProcesses, type ProcessRef, signal, waitGone } from '../host/process-identity.ts';
import { type Say, SetupError } from '../host/run-command.ts';
import { removeControlGroups } from '../parts/docker/control-groups.ts';
import { canAsk, containersOf, engineAnswers, removeContainer } from '../parts/docker/engine-address.ts';
import { defaultRegister, releaseUser } from '../parts/docker/shared-dockerd.ts';
import { stopProcess } from '../supervisor/child.ts';
import { type Plan, readUp, stopTimeoutOf } from '../supervisor/plan.ts';

/** The time that the supervisor takes beside its slowest process. */
const SUPERVISOR_STOP_MS = 45_000;
const ORPHAN_STOP_MS = 15_000;

/** The longest time that a process of the plan may take to stop. */
const longestStopMs = (home: Home): number =>
  Math.max(ORPHAN_STOP_MS, ...(readJsonOrNull<Plan>(home.planFile)?.children ?? []).map(stopTimeoutOf));

const stopSupervisor = async (home: Home, say: Say): Promise<void> => {
  const holder = lockHolder(home.supervisorLock);
  if (!holder) return;
  signal(holder, 'SIGTERM');
  const patienceMs = SUPERVISOR_STOP_MS + longestStopMs(home);
  if (await waitGone([holder], patienceMs)) return;
  say('down', `the supervisor (pid ${holder.pid}) did not end in ${patienceMs / 1000} s: killing it`);
  signal(holder, 'SIGKILL');
  await waitGone([holder], 5_000);
};

type Orphan = ProcessRef & { readonly name: string };

/** Processes without a supervisor: those that carry our mark, and those that up.json names. */
const orphansOf = (home: Home, recorded: readonly Orphan[]): readonly Orphan[] => {
  const marked = markedProcesses(home.hash);
  const markedPids = new Set(marked.map(({ pid }) => pid));
  return [...marked, ...recorded.filter((one) => one.name !== 'dockerd' && !markedPids.has(one.pid) && isAlive(one))];
};

const named = (orphans: readonly Orphan[]): string => orphans.map(({ name, pid }) => `${name} (pid ${pid})`).join(', ');

const isWorker = ({ name }: Orphan): boolean => ['worker', 'sandbox', 'learner'].includes(name);

/** Workers are stopped first, so that they finish what they do while their servers are still there. */
const stopOrphans = async (home: Home, recorded: readonly Orphan[], say: Say): Promise<void> => {
  const orphans = orphansOf(home, recorded);
  if (orphans.length > 0) say('down', `stopping ${named(orphans)}, left without a supervisor`);
  await Promise.all(orphans.filter(isWorker).map((one) => stopProcess(one, longestStopMs(home))));
  await Promise.all(orphans.filter((one) => !isWorker(one)).map((one) => stopProcess(one, ORPHAN_STOP_MS)));
};

const removeContainers = async (home: Home, host: string | null, say: Say): Promise<void> => {
  if (host === null || !canAsk(host) || !(await engineAnswers(host))) return;
  const containers = await containersOf(host, home.hash);
  if (containers.length === 0) return;
  say('down', `removing ${containers.length} container${containers.length === 1 ? '' : 's'} of this home`);
  await Promise.all(containers.map(({ id }) => removeContainer(host, id)));
  const left = await containersOf(host, home.hash);
  if (left.length > 0)
    throw new SetupError(
      `${left.length} containers with the label evolve.home=${home.hash} could not be removed: docker rm -f ${left.map(({ id }) => id.slice(0, 12)).join(' ')}`,
    );
};

const removeGroups = (home: Home, say: Say): void => {
  const { removed, left } = removeControlGroups(home.hash);
  if (removed > 0) say('down', `removed ${removed} control groups of this home`);
  if (left.length > 0)
    say(
      'down',
      `${left.length} control groups of this home stay: sudo find ${left.join(' ')} -depth -type d -exec rmdir {} +`,
    );
};

export const stopStack = async (home: Home, say: Say): Promise<void> => {
  const current = readUp(home, (message) => say('down', message));
  const host = current?.docker.host ?? readJsonOrNull<Plan>(home.planFile)?.parts.docker.host ?? null;
  const recorded = current?.processes ?? [];
  const ran =
    recorded.some((one) => one.name !== 'dockerd' && isAlive(one)) || lockHolder(home.supervisorLock) !== null;
  if (ran)
    say(
      'down',
      `stopping ${
        recorded
          .map(({ name }) => name)
          .filter((name) => name !== 'dockerd')
          .join(', ') || 'the supervisor'
      }`,
    );
  await stopSupervisor(home, say);
  await stopOrphans(home, recorded, say);
  const orphans = orphansOf(home, recorded);
  if (orphans.length > 0) throw new SetupError(`these processes do not end: ${named(orphans)}; kill -9 them`);
  await removeContainers(home, host, say);
  removeGroups(home, say);
  if ((await releaseUser(defaultRegister(), home.hash)) === 'stopped')
    say('down', 'stopped dockerd: no other evolve home uses it');
  for (const file of [home.upFile, home.planFile, home.supervisorLock]) rmSync(file, { force: true });
  say('down', ran ? 'everything of this home is stopped' : 'nothing was running');
};
