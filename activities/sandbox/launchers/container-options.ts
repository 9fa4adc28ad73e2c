// Create options of every container: hardened alike, trusted or not (docs/security.md).
import type Docker from 'dockerode';
import { DATA_FOLDER } from '../../../evolution/task/task-world.ts';
import type { ConfinedSpec } from '../contract/confined.ts';
import { environmentOf, GVISOR_SPARE } from '../contract/surroundings.ts';
import type { EngineRuntime } from './runtimes.ts';
import { seccompProfile } from './seccomp.ts';

const NOBODY = 65534;
/**
 * Capabilities of the parent of the level `fork`, until it has mapped the uids of its user namespace. From then on it is
 * nobody to the machine (docs/security.md, The level `fork`).
 */
const FORKSERVER = ['SETUID', 'SETGID'];
/** The kernel of gVisor is a process of the container, whose own threads count too. */
const RUNSC_THREADS = 256;
/** To compute on the device and to ask for its state, and no graphics. */
const GPU = ['gpu', 'compute', 'utility'];
const MIB = 1024 * 1024;
const SECCOMP = `seccomp=${seccompProfile()}`;
const FORKSERVER_SECCOMP = `seccomp=${seccompProfile({ namespaces: true })}`;
const GVISOR_SECCOMP = `seccomp=${seccompProfile({ gvisor: true })}`;

type Labels = { readonly home: string; readonly owner: string };

const labelsOf = (spec: ConfinedSpec, labels: Labels): Record<string, string> => ({
  'evolve.owner': labels.owner,
  'evolve.home': labels.home,
  'evolve.run': spec.run,
  'evolve.activity': spec.activity,
  ...(spec.devices === undefined ? {} : { 'evolve.gpus': spec.devices.join(',') }),
  'evolve.deadline': spec.deadline === null ? 'none' : spec.deadline.toISOString(),
});

/** RLIMIT_CPU sends SIGXCPU at the limit (exit 152) and SIGKILL two seconds later to a program that catches it. */
const ulimits = (
  { cpuSeconds, memoryBytes }: ConfinedSpec['limits'],
  isGvisor: boolean,
): { Name: string; Soft: number; Hard: number }[] => [
  { Name: 'nofile', Soft: 256, Hard: 256 },
  { Name: 'core', Soft: 0, Hard: 0 },
  { Name: 'sigpending', Soft: 1024, Hard: 1024 },
  { Name: 'msgqueue', Soft: 0, Hard: 0 },
  { Name: 'fsize', Soft: 64 * MIB, Hard: 64 * MIB },
  ...(cpuSeconds === null ? [] : [{ Name: 'cpu', Soft: Math.ceil(cpuSeconds), Hard: Math.ceil(cpuSeconds) + 2 }]),
  ...(isGvisor ? [{ Name: 'as', Soft: memoryBytes + GVISOR_SPARE, Hard: memoryBytes + GVISOR_SPARE }] : []),
];

export const containerOptions = (options: {
  spec: ConfinedSpec;
  image: string;
  labels: Labels;
  cgroupParent: string;
  /** By the name that the engine has for it; undefined means the engine's default. */
  runtime?: EngineRuntime | undefined;
  /** A folder of the engine's machine with the task's data files. */
  data?: string | undefined;
}): Docker.ContainerCreateOptions => {
  const isGvisor = options.runtime?.kind === 'runsc';
  return {
    Image: options.image,
    // -s and -P keep Python from importing anything from a home or the working directory. -I would ignore
    // PYTHONHASHSEED.
    Cmd: ['python3', '-s', '-P', '-c', options.spec.source, ...options.spec.args],
    Entrypoint: [],
    Hostname: 'box',
    User: options.spec.forkserver ? '0:0' : `${NOBODY}:${NOBODY}`,
    WorkingDir: '/',
    Env: Object.entries(environmentOf(options.spec.limits.cores ?? 1)).map(([name, value]) => `${name}=${value}`),
    Labels: labelsOf(options.spec, options.labels),
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    StdinOnce: true,
    Tty: false,
    HostConfig: {
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      Tmpfs: {
        '/box': `exec,size=64m,nr_inodes=4096,${options.spec.forkserver ? 'mode=0711' : `uid=${NOBODY},gid=${NOBODY},mode=0700`}`,
      },
      ...(options.data === undefined
        ? {}
        : { Mounts: [{ Type: 'bind', Source: options.data, Target: DATA_FOLDER, ReadOnly: true }] }),
      Memory: options.spec.limits.memoryBytes,
      MemorySwap: options.spec.limits.memoryBytes,
      NanoCpus: (options.spec.limits.cores ?? 1) * 1e9,
      PidsLimit: options.spec.limits.pids + (isGvisor ? RUNSC_THREADS : 0),
      CapDrop: ['ALL'],
      ...(options.spec.forkserver ? { CapAdd: FORKSERVER } : {}),
      SecurityOpt: [
        'no-new-privileges',
        // The engine's AppArmor profile forbids mounts.
        ...(options.spec.forkserver ? ['apparmor=unconfined'] : []),
        isGvisor ? GVISOR_SECCOMP : options.spec.forkserver ? FORKSERVER_SECCOMP : SECCOMP,
      ],
      // A fresh /proc can be mounted where nothing hides a part of this one. The parent hides it from candidates.
      ...(options.spec.forkserver ? { MaskedPaths: ['/sys/firmware'], ReadonlyPaths: [] } : {}),
      IpcMode: 'private',
      ShmSize: 16 * MIB,
      LogConfig: { Type: 'none', Config: {} },
      Init: true,
      OomKillDisable: false,
      Ulimits: ulimits(options.spec.limits, isGvisor),
      CgroupParent: options.cgroupParent,
      // What `docker run --gpus` sends.
      ...(options.spec.devices === undefined
        ? {}
        : {
            DeviceRequests: [
              { Driver: '', Count: 0, DeviceIDs: [...options.spec.devices], Capabilities: [GPU], Options: {} },
            ],
          }),
      ...(options.runtime === undefined ? {} : { Runtime: options.runtime.name }),
    },
  };
};
