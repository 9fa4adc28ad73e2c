// The Python with MLflow, TensorBoard and Weights & Biases, made when a test first asks for it.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveHome } from '../../../deploy/host/home.ts';
import { withLock } from '../../../deploy/host/lock.ts';
import { runCommand } from '../../../deploy/host/run-command.ts';
import { findPython } from '../../../deploy/parts/python/python.ts';
import { pipInstall } from '../../../deploy/parts/python/venv.ts';

const TIMEOUT_MS = 30 * 60_000;

/** Its folder of programs; null where this machine can have none, which is said. */
export const trackersPython = async (): Promise<string | null> => {
  const { parts } = resolveHome(process.env);
  const venv = join(parts, 'venv-trackers');
  const ready = join(venv, '.evolve-ready');
  try {
    await withLock(join(parts, 'venv-trackers.lock'), { timeoutMs: TIMEOUT_MS, waiting: () => undefined }, async () => {
      if (existsSync(ready)) return;
      const python = await findPython();
      if (python?.version !== '3.11') throw new Error(`expected CPython 3.11, found ${python?.version ?? 'none'}`);
      rmSync(venv, { recursive: true, force: true });
      await runCommand(python.executable, ['-m', 'venv', venv], { timeoutMs: TIMEOUT_MS });
      await pipInstall(venv, 'trackers', ['--require-hashes'], TIMEOUT_MS);
      writeFileSync(ready, '');
    });
    return join(venv, 'bin');
  } catch (error) {
    console.warn(`MLflow, TensorBoard and Weights & Biases are not here: ${(error as Error).message}`);
    return null;
  }
};
