// A Python with a hash-locked list of deploy/requirements, for tests alone: made when one first asks for it.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveHome } from '../../deploy/host/home.ts';
import { withLock } from '../../deploy/host/lock.ts';
import { runCommand } from '../../deploy/host/run-command.ts';
import { sha256 } from '../../deploy/host/sha256.ts';
import { findPython } from '../../deploy/parts/python/python.ts';
import { pipInstall, requirementsFile } from '../../deploy/parts/python/venv.ts';

const TIMEOUT_MS = 30 * 60_000;

/** Its folder of programs; null where this machine can have none, which is said. `versions`: those for which it has wheels. */
export const listedPython = async (
  list: 'trackers' | 'client',
  versions: readonly string[],
): Promise<string | null> => {
  const { parts } = resolveHome(process.env);
  const venv = join(parts, `venv-${list}`);
  const ready = join(venv, `.evolve-${sha256(readFileSync(requirementsFile(list))).slice(0, 12)}`);
  try {
    await withLock(`${venv}.lock`, { timeoutMs: TIMEOUT_MS }, async () => {
      if (existsSync(ready)) return;
      const python = await findPython();
      if (python === null || !versions.includes(python.version))
        throw new Error(`expected CPython ${versions.join(', ')}, found ${python?.version ?? 'none'}`);
      rmSync(venv, { recursive: true, force: true });
      await runCommand(python.executable, ['-m', 'venv', venv], { timeoutMs: TIMEOUT_MS });
      await pipInstall(venv, list, ['--require-hashes'], TIMEOUT_MS);
      writeFileSync(ready, '');
    });
    return join(venv, 'bin');
  } catch (error) {
    console.warn(
      `tests that need deploy/requirements/${list}-requirements.txt are skipped: ${(error as Error).message}`,
    );
    return null;
  }
};
