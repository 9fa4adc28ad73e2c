// Weights & Biases, by files that `wandb sync` uploads. Its own SDK writes them, offline, when a run has ended: a folder a
// run, which is replaced where it was there, so that it is never half and never twice.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { flat } from '../../evolution/config/layers.ts';
import { taskName } from '../../evolution/task/task.ts';
import { hasNow, type Point, type Sender } from './tracked.ts';

/** Lines of JSON: what `wandb.init` takes with the files, then a point each. The SDK has files of its own beside `run/`. The last line of its output is the folder. */
const WRITER = `
import json, os, sys
try:
    import wandb
except ImportError:
    sys.exit("expected the package wandb for " + sys.executable + ", got none: run " + sys.executable + " -m pip install wandb, or name another Python as python in trackers.json")
first = json.loads(sys.stdin.readline())
run = wandb.init(mode="offline", settings=wandb.Settings(silent=True, console="off", disable_git=True, save_code=False, x_disable_stats=True, x_disable_meta=True, x_save_requirements=False), **first["init"])
for name, text in first["files"].items():
    path = os.path.join(run.dir, "run", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    run.save(path, base_path=run.dir)
for line in sys.stdin:
    point = json.loads(line)
    run.log(point["values"], step=point["step"])
folder = os.path.dirname(run.dir)
run.finish()
print(folder)
`;
const MOST_OUTPUT = 10_000;

const write = (python: string, lines: AsyncIterable<string>, scratch: string, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const { PATH, HOME, LANG } = process.env;
    const child = spawn(python, ['-c', WRITER], {
      // Nothing of the worker's environment, which holds keys.
      env: { PATH, HOME, LANG, WANDB_DATA_DIR: scratch, WANDB_CACHE_DIR: scratch, WANDB_CONFIG_DIR: scratch },
      ...{ cwd: scratch, signal, killSignal: 'SIGKILL' },
    });
    const output = { out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => (output.out = `${output.out}${chunk}`.slice(-MOST_OUTPUT)));
    child.stderr.on('data', (chunk: Buffer) => (output.err = `${output.err}${chunk}`.slice(-MOST_OUTPUT)));
    child.once('error', ({ message }) =>
      reject(new Error(`expected a Python with the package wandb as python in trackers.json (${message})`)),
    );
    child.once('close', (code) => {
      if (code === 0) resolve(output.out.trim().split('\n').at(-1)!);
      else reject(new Error(output.err.trim().split('\n').at(-1) || `${python} ended with ${code}`));
    });
    child.stdin.on('error', () => undefined);
    void (async () => {
      for await (const line of lines) child.stdin.write(`${line}\n`);
      child.stdin.end();
    })().catch((error: unknown) => {
      child.kill('SIGKILL');
      reject(error as Error);
    });
  });

export const wandb =
  (folder: string, python = 'python3'): Sender =>
  async ({ run, name, had, points, files, signal }) => {
    const seconds = run.createdAt.toISOString().slice(0, 19);
    const id = `${name}-${Date.parse(seconds) / 1000}`;
    let last: Point | null = null;
    const lines = async function* (dir: string): AsyncGenerator<string> {
      const init = { dir, id, name, project: taskName(run.config.task), group: run.sweep, config: flat(run.config) };
      yield JSON.stringify({ init, files: Object.fromEntries(await files()) });
      for await (const point of points(0)) {
        last = point;
        yield JSON.stringify({ step: point.step, values: Object.fromEntries(point.values) });
      }
    };
    const all = join(folder, 'wandb');
    mkdirSync(all, { recursive: true });
    const scratch = mkdtempSync(join(folder, '.evolve-'));
    try {
      const written = await write(python, lines(scratch), scratch, signal);
      const to = join(all, `offline-run-${seconds.replaceAll(/[-:]/g, '').replace('T', '_')}-${id}`);
      rmSync(to, { recursive: true, force: true });
      renameSync(written, to);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
    return hasNow(had, last === null ? [] : [last]);
  };
