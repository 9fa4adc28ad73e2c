// A data directory of a test's own: real Temporal server, database and workers; heavy parts are shared with the
// clone's.
import { type ChildProcess, execFile, fork, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shareNow } from '../../../activities/sandbox/contract/fair-clock.ts';
import { allowNoop } from '../../../evolution/config/noop.ts';
import type { CommandLine } from './carried-out.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
const NODE = join(ROOT, 'node_modules', '.bin', 'node');
export const PARTS = process.env.EVOLVE_PARTS ?? process.env.EVOLVE_HOME ?? join(ROOT, '.evolve');

/** Whoever has a home may start runs whose programs are not evaluated (evolution/config/noop.ts). */
process.env.EVOLVE_ALLOW_NOOP = '1';
allowNoop(process.env);

export type Finished = { readonly code: number | null; readonly stdout: string; readonly stderr: string };
export type UpFile = {
  readonly processes: readonly {
    readonly name: string;
    readonly pid: number;
    readonly port: number | null;
    readonly log: string;
  }[];
} & Record<string, any>;

export type TestHome = {
  readonly dir: string;
  readonly runs: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs `evolve ...` to its end. */
  evolve(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Finished>;
  /** `evolve ... --json`, parsed; fails the test when the exit code is not 0. */
  json(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<any>;
  /** The same of a command that prints one object a line. */
  lines(args: readonly string[]): Promise<any[]>;
  programs(run: string, ...flags: string[]): Promise<any[]>;
  up(): UpFile;
  pid(name: string): number;
  /** Kills a process, once the supervisor has started it again where it had just ended. */
  kill(name: string): Promise<void>;
  remove(): Promise<void>;
};

/** As `evolve` itself does it (cli/evolve.mjs): a command need not compile its sources again. */
const NODE_COMPILE_CACHE = join(PARTS, 'compile-cache');

/** Benches measure commands and servers as people have them. */
const IS_TEST = process.env['VITEST'] !== undefined;

/** What these start or show lasts longer than the command, or is the process itself. */
const OF_THEIR_OWN = new Set(['up', 'down', 'start', 'worker', 'watch', 'ui', 'codec-server', 'support-bundle']);

/**
 * Carries out commands of `evolve`, one after the other, in one process: a process for each takes most of its time to
 * load. One that comes while another is under way gets a process of its own.
 */
class CommandHost {
  private child: ChildProcess | null = null;
  private isBusy = false;

  isFreeFor([command]: readonly string[]): boolean {
    return IS_TEST && !this.isBusy && command !== undefined && !OF_THEIR_OWN.has(command);
  }

  async run(line: CommandLine): Promise<Finished> {
    this.isBusy = true;
    const child = (this.child ??= this.start());
    const { promise, resolve } = Promise.withResolvers<Finished>();
    const ended = (code: number | null): void => resolve({ code, stdout: '', stderr: 'the host of commands ended' });
    child.once('exit', ended).once('message', resolve);
    child.send(line);
    const finished = await promise;
    child.off('exit', ended).off('message', resolve);
    this.isBusy = false;
    return finished;
  }

  private start(): ChildProcess {
    const child = fork(join(import.meta.dirname, 'carried-out.ts'), {
      execPath: NODE,
      execArgv: [],
      cwd: ROOT,
      env: { ...process.env, NODE_COMPILE_CACHE },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child.once('exit', () => {
      this.child = null;
    });
    child.unref();
    child.channel?.unref();
    return child;
  }
}
const commands = new CommandHost();

/** Makes (empty) the data directory `.evolve/tests/<name>`; nothing is started yet. */
export const testHome = (name: string, extra: NodeJS.ProcessEnv = {}): TestHome => {
  const dir = join(ROOT, '.evolve', 'tests', `${name}-${process.pid}`);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  return homeAt(dir, extra);
};

const inProcess = ({ args, env }: CommandLine): Promise<Finished> =>
  new Promise((done) => {
    execFile(
      NODE,
      [join(ROOT, 'cli', 'main.ts'), ...args],
      { env, maxBuffer: 1 << 28, cwd: ROOT },
      (error, stdout, stderr) => {
        done({ code: error ? (typeof error.code === 'number' ? error.code : null) : 0, stdout, stderr });
      },
    );
  });

/** The data directory as it is. */
export const homeAt = (dir: string, extra: NodeJS.ProcessEnv = {}): TestHome => {
  const runs = join(dir, 'runs');
  const { OPENAI_API_KEY: _key, OPENAI_BASE_URL: _url, EVOLVE_MODEL: _model, ...inherited } = process.env;
  const env = {
    ...inherited,
    EVOLVE_HOME: dir,
    EVOLVE_PARTS: PARTS,
    EVOLVE_RUNS: runs,
    XDG_CONFIG_HOME: join(dir, 'config'),
    // No test fails because another one has nearly filled the disk.
    EVOLVE_LEAST_FREE: '1MB',
    // The Temporal server of a test is small: to collect its memory seldom saves a fifth of its CPU time.
    ...(IS_TEST ? { GOGC: '800' } : {}),
    // Tests of the page ask for it; all others are faster without.
    EVOLVE_PAGE: 'off',
    NODE_COMPILE_CACHE,
    ...extra,
  };
  const evolve = (args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Finished> => {
    const line = { args, env: { ...env, ...more } };
    return commands.isFreeFor(args) ? commands.run(line) : inProcess(line);
  };
  const json = async (args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<any> => {
    const result = await evolve([...args, '--json'], more);
    if (result.code !== 0)
      throw new Error(`evolve ${args.join(' ')} ended with ${result.code}:\n${result.stdout}\n${result.stderr}`);
    return JSON.parse(result.stdout);
  };
  const lines = async (args: readonly string[]): Promise<any[]> => {
    const result = await evolve([...args, '--json']);
    if (result.code !== 0) throw new Error(`evolve ${args.join(' ')} ended with ${result.code}:\n${result.stderr}`);
    return result.stdout
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };
  const up = (): UpFile => JSON.parse(readFileSync(join(dir, 'up.json'), 'utf8')) as UpFile;
  return {
    dir,
    runs,
    env,
    evolve,
    json,
    lines,
    up,
    programs: (run, ...flags) => lines(['programs', run, ...flags]),
    pid: (process) => {
      const entry = up().processes.find((one) => one.name === process);
      if (!entry)
        throw new Error(
          `no process ${process} in up.json: ${up()
            .processes.map((one) => one.name)
            .join(', ')}`,
        );
      return entry.pid;
    },
    async kill(name) {
      process.kill(await until(`process ${name} in up.json`, 60_000, () => runningIn(up(), name)), 'SIGKILL');
    },
    async remove() {
      await evolve(['down']);
      rmSync(dir, { recursive: true, force: true });
    },
  };
};

/** A model endpoint with faults: the offline model's server, started by the test with flags of its own. */
export const startModel = async (
  ...flags: string[]
): Promise<{ readonly url: string; readonly process: ChildProcess; stop(): Promise<void> }> => {
  const child = spawn(NODE, [join(ROOT, 'deploy', 'offline-model', 'main.ts'), ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<number>((resolve, reject) => {
    let text = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const line = text.split('\n').find((one) => one.includes('"port"'));
      if (line) resolve((JSON.parse(line) as { port: number }).port);
    });
    child.once('exit', (code) => reject(new Error(`the offline model ended with ${code}`)));
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    url: `http://127.0.0.1:${port}/v1`,
    process: child,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
};

const runningIn = ({ processes }: UpFile, name: string): number | undefined =>
  processes.find((one) => one.name === name && runs(one.pid))?.pid;

/** Whether a process runs; one that has ended and that nobody has reaped yet does not. */
export const runs = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
};

/**
 * Waits until `check` gives something; throws with `what`, and how it stands, after the limit, which counts the machine's
 * time as far as it was there for us.
 */
export const until = async <T>(
  what: string,
  limitMs: number,
  check: () => Promise<T | null | false | undefined> | T | null | false | undefined,
  stands: () => string = () => '',
): Promise<T> => {
  let last = performance.now();
  for (let countedMs = 0; ;) {
    const value = await check();
    if (value) return value;
    const now = performance.now();
    countedMs += (now - last) * shareNow();
    last = now;
    if (countedMs > limitMs) throw new Error(`waited ${limitMs} ms for ${what}${stands()}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
};
