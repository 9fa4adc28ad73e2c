// A process in a pod: the command that begins it, and the frame that says what it becomes and under which limits.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OciRuntime } from '../../evolution/types.ts';
import type { ConfinedSpec } from '../../activities/sandbox/contract/confined.ts';
import { encodeRequest } from '../../activities/sandbox/contract/frames.ts';
import { environmentOf, GVISOR_SPARE } from '../../activities/sandbox/contract/surroundings.ts';
import type { Pod } from './api.ts';

const MIB = 1024 * 1024;

/** A text of the folder `guest`. */
export const guest = (file: string): string => readFileSync(join(import.meta.dirname, 'guest', file), 'utf8');

/** Runs a text with Python, which imports nothing from a home or the working directory. */
export const python = (source: string): readonly string[] => ['python3', '-s', '-P', '-c', source];

export const START = python(guest('pod-start.py'));

/** The first frame of the process that becomes `spec`. */
export const startFrame = (
  spec: ConfinedSpec,
  of: { readonly runtime: OciRuntime; readonly podMemory: number; readonly pod: Pod },
): Buffer => {
  const { cpuSeconds, memoryBytes, pids, cores = 1 } = spec.limits;
  const same = (value: number): readonly number[] => [value, value];
  const isTrusted = spec.deadline === null;
  const address = of.runtime === 'runsc' ? memoryBytes + GVISOR_SPARE : memoryBytes;
  return encodeRequest({
    argv: [...python(spec.source), ...spec.args],
    env: environmentOf(cores),
    limits: {
      NOFILE: same(256),
      CORE: same(0),
      FSIZE: same(64 * MIB),
      ...(cpuSeconds === null ? {} : { CPU: [Math.ceil(cpuSeconds), Math.ceil(cpuSeconds) + 2] }),
      // The pod's limit holds for all processes together. A task that allows less has its own for each process.
      ...(!isTrusted && (of.runtime === 'runsc' || memoryBytes < of.podMemory) ? { AS: same(address) } : {}),
      // The kernel counts by uid, which pods share but where each has users of its own.
      ...(!isTrusted && of.pod.spec.hostUsers === false ? { NPROC: same(pids + 8) } : {}),
    },
  });
};

/** The digest of the image that the container runs. */
export const imageOf = (pod: Pod, container: string): string => {
  const id = pod.status?.containerStatuses?.find(({ name }) => name === container)?.imageID;
  return id?.slice(id.indexOf('@') + 1) || pod.spec.containers.find(({ name }) => name === container)!.image;
};
