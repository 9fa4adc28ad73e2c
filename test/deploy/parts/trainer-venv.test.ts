import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveHome } from '../../../deploy/host/home.ts';
import { ensureTrainer, readyTrainerPython } from '../../../deploy/parts/python/trainer-venv.ts';
import { scratchDirectory } from '../scratch.ts';

/** Plays a Python: it says what it has, makes environments that hold a copy of itself, and notes what pip was asked. */
const playedPython = (folder: string, torch: string): string => {
  const file = join(folder, 'python');
  mkdirSync(join(folder, 'site', 'torch'), { recursive: true });
  const torchFile = join(folder, 'site', 'torch', '__init__.py');
  writeFileSync(torchFile, '');
  const answer = ['CPython', '3.11', torch, torch && torchFile, torch && join(folder, 'site', 'numpy', '__init__.py')];
  writeFileSync(
    file,
    `#!/bin/sh
case "$*" in
  *find_spec*) printf '%s\\n' '${answer.join('\t')}' ;;
  "-m venv "*) mkdir -p "$3/bin" "$3/lib/python3.11/site-packages" && cp "$0" "$3/bin/python" ;;
  "-m pip "*) echo "$*" >> '${folder}/pip.log' ;;
esac
`,
    { mode: 0o755 },
  );
  return file;
};

const prepare = (torch = '2.9.9') => {
  const folder = scratchDirectory();
  const python = playedPython(folder, torch);
  const home = resolveHome({ EVOLVE_HOME: join(folder, 'home') });
  const said: string[] = [];
  return {
    folder,
    home,
    said,
    venv: join(home.parts, 'venv-trainer'),
    ensure: () =>
      ensureTrainer(home, (_, line) => said.push(line), { EVOLVE_TRAINER_PYTHON: python, PATH: process.env['PATH'] }),
    installed: () => readFileSync(join(folder, 'pip.log'), 'utf8').trim().split('\n'),
  };
};

describe("the trainer's Python environment", () => {
  it('borrows PyTorch from the interpreter that is named, and locks all else by hash', async () => {
    const { ensure, venv, folder, installed, home } = prepare();
    expect(await ensure()).toMatchObject({ torch: '2.9.9', python: join(venv, 'bin', 'python') });
    expect(readFileSync(join(venv, 'lib/python3.11/site-packages/evolve-torch.pth'), 'utf8')).toBe(
      `${join(folder, 'site')}\n`,
    );
    expect(installed()).toHaveLength(1);
    expect(installed()[0]).toMatch(/--require-hashes -r .*trainer-requirements\.txt$/);
    // It is found again, from a shell too that does not name the interpreter.
    expect(readyTrainerPython(home, {})?.torch).toBe('2.9.9');
    await ensure();
    expect(installed()).toHaveLength(1);
  });

  it('is made again where it was left half-made, or has lost its PyTorch', async () => {
    const { ensure, venv, folder, installed, home } = prepare();
    await ensure();
    writeFileSync(join(venv, '.evolve-installing'), '');
    writeFileSync(join(venv, 'left'), '');
    await ensure();
    expect(existsSync(join(venv, 'left'))).toBe(false);
    expect(installed()).toHaveLength(2);
    rmSync(join(folder, 'site'), { recursive: true });
    expect(readyTrainerPython(home, {})).toBeNull();
    playedPython(folder, '2.9.9');
    rmSync(join(venv, '.evolve-ready.json'));
    await ensure();
    expect(installed()).toHaveLength(3);
  });

  it('refuses an interpreter without PyTorch, and says which setting names it', async () => {
    await expect(prepare('').ensure()).rejects.toThrow(
      /^EVOLVE_TRAINER_PYTHON: expected a CPython 3\.11 to 3\.13 that has venv, torch and numpy, .*\(CPython 3\.11\) lacks one/,
    );
  });
});
