// The end of a process in a pod: by itself, for a limit, or because somebody took its claim or its pod away.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ending } from '../../activities/sandbox/contract/confined.ts';
import { type Claim, type ClusterApi, isGone, type Pod } from './api.ts';
import type { Exec } from './exec.ts';
import type { Meter } from './pod-meter.ts';

/** A cluster says by so much later that a container was killed for its memory. */
const POD_STATUS_MS = 5_000;
/** 128 + SIGKILL. */
export const KILLED = 137;

export const ended = (exitCode: number | null, lost: string | null, oom = false): Ending => ({ exitCode, oom, lost });

export type RunningPod = {
  readonly api: ClusterApi;
  readonly name: string;
  readonly pod: { readonly pod: string; readonly container: string };
  readonly main: Exec;
  readonly meter: Meter | null;
};

export const endingOf = async ({ api, name, pod, main, meter }: RunningPod): Promise<Ending> => {
  const ending = await main.ended;
  const code = ending.kind === 'exit' ? ending.code : null;
  const isMetered = (await meter?.sample().then(() => meter.lives())) === true;
  if (code !== null && code !== KILLED) return ended(code, null, isMetered && meter!.oomKilled() === true);
  // The kernel killed it for a limit, or the program itself did, or somebody ended its pod.
  const taken = await takenAway(api, name, pod.pod);
  if (taken !== null) return ended(null, taken);
  const isCounted = isMetered && meter!.oomKilled() !== null;
  if (code !== null && isCounted) return ended(code, null, meter!.oomKilled() === true);
  const reason = await terminationOf(api, pod);
  if (reason === 'OOMKilled') return ended(KILLED, null, true);
  if (ending.kind === 'exit') return ended(code, null);
  return ended(null, `${ending.why}${reason === null ? '' : ` (its container ended: ${reason})`}`);
};

/** The reason why others ended the claim or the pod; null where both stand or nobody can say. */
const takenAway = async (api: ClusterApi, name: string, pod: string): Promise<string | null> => {
  const isLeaving = (one: Promise<Claim | Pod>): Promise<boolean> =>
    one.then(({ metadata }) => metadata.deletionTimestamp !== undefined, isGone);
  if (await isLeaving(api.getClaim(name)))
    return 'its claim was removed: a newer attempt of the same evaluation took its place, or somebody deleted it';
  return (await isLeaving(api.getPod(pod))) ? 'the cluster ended its pod' : null;
};

/** The reason why the container of a pod ended; null where it has not, or where the pod is gone. */
const terminationOf = async (api: ClusterApi, { pod, container }: RunningPod['pod']): Promise<string | null> => {
  for (const until = performance.now() + POD_STATUS_MS; performance.now() < until; await sleep(250)) {
    try {
      const { status } = await api.getPod(pod);
      const { state, lastState } = status?.containerStatuses?.find(({ name }) => name === container) ?? {};
      const { terminated } = { ...lastState, ...state };
      if (terminated !== undefined) return terminated.reason ?? `exit code ${terminated.exitCode}`;
    } catch {
      return null;
    }
  }
  return null;
};
