// The fallback without Docker: bubblewrap namespaces, prlimit for each process, and the same seccomp rules
// (docs/security.md). It is weaker, because memory is limited for each process and not for the tree, and CPU time is
// added up from /proc. Every result carries the level `bubblewrap`.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Confined, ConfinedSpec, Ending, Launcher, Log } from '../contract/confined.ts';
import { environmentOf } from '../contract/surroundings.ts';
import { InfrastructureError } from '../contract/types.ts';
import { SOCKET_SELF_TEST } from './preflight.ts';
import { createProcessTree, isTreeAwake, oomKills } from './process-tree.ts';
import { seccompFilter } from './seccomp.ts';

export type BubblewrapOptions = {
  /** A root file system with Python and the wheels. */
  readonly rootfs: string;
  /** Stored with each result: the id of the image that the root file system is. */
  readonly imageId: string;
  readonly log: Log;
};

const MIB = 1024 * 1024;
const FILTER_FD = 3;

const limitArguments = ({ limits }: ConfinedSpec): readonly string[] => [
  '--nofile=256:256',
  '--core=0:0',
  `--fsize=${64 * MIB}:${64 * MIB}`,
  `--as=${limits.memoryBytes}:${limits.memoryBytes}`,
  ...(limits.cpuSeconds === null ? [] : [`--cpu=${Math.ceil(limits.cpuSeconds)}:${Math.ceil(limits.cpuSeconds) + 2}`]),
];

/** This limit is set inside, where only the candidate's own processes count. A hard limit cannot be raised again. */
const prologue = (pids: number): string =>
  `import resource\nresource.setrlimit(resource.RLIMIT_NPROC, (${pids}, ${pids}))\ndel resource\n`;

/**
 * The kernel exempts the real root from RLIMIT_NPROC, even in a user namespace. So root starts candidates as nobody.
 */
const NOBODY = 65534;
const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

const wrapArguments = (rootfs: string, cores: number): readonly string[] => [
  '--unshare-all',
  '--die-with-parent',
  '--new-session',
  '--cap-drop',
  'ALL',
  '--uid',
  '65534',
  '--gid',
  '65534',
  '--hostname',
  'box',
  '--ro-bind',
  rootfs,
  '/',
  '--proc',
  '/proc',
  '--dev',
  '/dev',
  '--size',
  String(16 * MIB),
  '--tmpfs',
  '/dev/shm',
  '--remount-ro',
  '/dev',
  '--size',
  String(64 * MIB),
  '--tmpfs',
  '/tmp',
  '--dir',
  '/tmp/box',
  '--chdir',
  '/',
  '--clearenv',
  ...Object.entries(environmentOf(cores, '/tmp/box')).flatMap(([name, value]) => ['--setenv', name, value]),
  '--seccomp',
  String(FILTER_FD),
];

/** Exit codes are 128 + signal, as a shell and `bwrap` itself give them. */
const SIGKILL = 137;
const SIGNALS: { readonly [name: string]: number } = {
  SIGKILL,
  SIGXCPU: 152,
  SIGSEGV: 139,
  SIGTERM: 143,
  SIGABRT: 134,
};

const endingOf = (child: ChildProcessWithoutNullStreams): Promise<Ending> =>
  new Promise((resolve) => {
    child.once('error', (error) =>
      resolve({ exitCode: null, oom: false, lost: `bwrap could not be started: ${error.message}` }),
    );
    const before = oomKills();
    // No program can signal bwrap itself.
    child.once('close', (code, signal) =>
      resolve({
        ...{ exitCode: code ?? SIGNALS[signal ?? ''] ?? SIGKILL, oom: false, lost: null },
        killed: signal !== null || (code === SIGKILL && oomKills() > before),
      }),
    );
  });

class BubblewrapLauncher implements Launcher {
  readonly level = 'bubblewrap';
  readonly imageId: string;
  readonly #rootfs: string;
  readonly #log: Log;
  readonly #folder: string;
  readonly #filter: string;
  readonly #byName = new Map<string, () => void>();
  readonly #living = new Set<ChildProcessWithoutNullStreams>();
  #tested: Promise<void> | undefined;

  constructor({ rootfs, imageId, log }: BubblewrapOptions) {
    this.#rootfs = rootfs;
    this.imageId = imageId;
    this.#log = log;
    this.#folder = mkdtempSync(join(tmpdir(), 'evolve-bwrap-'));
    this.#filter = join(this.#folder, 'filter');
    writeFileSync(this.#filter, seccompFilter());
  }

  readonly launch = async (spec: ConfinedSpec): Promise<Confined> => {
    await (this.#tested ??= this.#selfTest().catch((error: unknown) => {
      this.#tested = undefined;
      throw error;
    }));
    return this.#start(spec);
  };

  readonly close = async (): Promise<void> => {
    for (const child of this.#living) child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  };

  #start(spec: ConfinedSpec): Confined {
    const fd = openSync(this.#filter, 'r');
    const child = spawn(
      'prlimit',
      [
        ...limitArguments(spec),
        'bwrap',
        ...wrapArguments(this.#rootfs, spec.limits.cores ?? 1),
        '--',
        'python3',
        '-s',
        '-P',
        '-c',
        prologue(spec.limits.pids) + spec.source,
        ...spec.args,
      ],
      {
        ...identity,
        cwd: '/',
        stdio: ['pipe', 'pipe', 'pipe', fd],
        env: { PATH: process.env['PATH'] ?? environmentOf(1).PATH },
      },
    ) as unknown as ChildProcessWithoutNullStreams;
    closeSync(fd);
    this.#living.add(child);
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', spec.onStdout);
    child.stderr.on('data', spec.onStderr);
    let superseded = false;
    let name: string | undefined;
    const cpuMs = child.pid === undefined ? () => null : createProcessTree(child.pid);
    let beforeMs: number | null = 0;
    let ours = false;
    const ended = endingOf(child).then((whole): Ending => {
      const ending = { ...whole, killed: whole.killed === true && !ours };
      this.#living.delete(child);
      if (name !== undefined && !superseded) this.#byName.delete(name);
      return superseded ? { ...ending, lost: 'a newer attempt of the same evaluation took its place' } : ending;
    });
    const kill = (): void => {
      ours = true;
      child.kill('SIGKILL');
    };
    return {
      send: (bytes) => {
        child.stdin.write(bytes);
      },
      closeInput: () => {
        child.stdin.end();
      },
      claim: async (claimed) => {
        this.#byName.get(claimed)?.();
        name = claimed;
        this.#byName.set(claimed, () => {
          superseded = true;
          kill();
        });
      },
      kill: async () => kill(),
      ended,
      markUse: () => {
        beforeMs = cpuMs();
      },
      use: () => {
        const now = cpuMs();
        return { cpuMs: now === null || beforeMs === null ? null : now - beforeMs, peakBytes: null };
      },
      awake: () => (child.pid === undefined ? null : isTreeAwake(child.pid)),
      remove: async () => {
        if (this.#living.has(child)) kill();
        await ended;
      },
    };
  }

  async #selfTest(): Promise<void> {
    let said = '';
    const collect = (chunk: Buffer): void => {
      said += chunk.toString();
    };
    const { ended } = this.#start({
      source: SOCKET_SELF_TEST,
      args: [],
      limits: { cpuSeconds: 10, memoryBytes: 512 * MIB, pids: 32 },
      run: 'self-test',
      activity: 'preflight',
      deadline: null,
      onStdout: collect,
      onStderr: collect,
    });
    const { exitCode, lost } = await ended;
    if (exitCode !== 0) {
      throw new InfrastructureError(
        `the bubblewrap self-test expected every socket family to be refused, got ${lost ?? (said.trim() || `exit code ${exitCode}`)}: install bubblewrap and util-linux (apt-get install bubblewrap), allow user namespaces, keep ${this.#rootfs} readable for all users, or install Docker`,
      );
    }
    this.#log(
      'sandbox: bubblewrap, the fallback without Docker: memory is limited per process only; every result says so',
    );
  }
}

export const createBubblewrapLauncher = (options: BubblewrapOptions): Launcher => new BubblewrapLauncher(options);
