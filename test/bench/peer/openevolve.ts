// OpenEvolve in a virtual environment of its own, where PyPI can be reached, and a run of it.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { runCommand } from '../../../deploy/host/run-command.ts';
import { findPython } from '../../../deploy/parts/python/python.ts';

const VERSION = '0.4.1';
const INSTALL_TIMEOUT_MS = 180_000;
const RUN_TIMEOUT_MS = 600_000;
const NO_CHECKPOINTS = 1_000_000;

export const installOpenEvolve = async (
  venv: string,
): Promise<{ readonly file: string } | { readonly skipped: string }> => {
  const python = await findPython();
  if (!python?.hasVenv) return { skipped: 'no CPython 3.10 to 3.13 with venv' };
  const file = join(venv, 'bin', 'python');
  const made = await runCommand(python.executable, ['-m', 'venv', venv], { timeoutMs: INSTALL_TIMEOUT_MS });
  const pip = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--no-input',
    '--timeout',
    '10',
    '--retries',
    '1',
    '--only-binary=:all:',
    `openevolve==${VERSION}`,
  ];
  const { ok, error } = made.ok ? await runCommand(file, pip, { timeoutMs: INSTALL_TIMEOUT_MS }) : made;
  return ok ? { file } : { skipped: `cannot be installed: ${error.split('\n').at(-1)}` };
};

/** A command with all its descendants, through measured.py. */
export const measuredCommand = async (
  command: readonly string[],
  options: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
): Promise<{ readonly cpuSeconds: number }> => {
  const script = join(import.meta.dirname, 'measured.py');
  const { ok, stdout, error } = await runCommand('python3', [script, ...command], {
    ...options,
    timeoutMs: RUN_TIMEOUT_MS,
  });
  const { code, cpuSeconds } = ok ? (JSON.parse(stdout) as { code: number; cpuSeconds: number }) : { code: null };
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${error}`);
  return { cpuSeconds: cpuSeconds! };
};

type PeerRun = { readonly url: string; readonly programs: number; readonly inFlight: number };

/** A run of the problem `toy-digits`; CPU seconds of all its processes. */
export const runOpenEvolve = async (
  python: string,
  dir: string,
  { url, programs, inFlight }: PeerRun,
): Promise<number> => {
  mkdirSync(dir, { recursive: true });
  copyFileSync(
    join(import.meta.dirname, '..', '..', '..', 'tasks', 'toy-digits', 'initial.py'),
    join(dir, 'initial.py'),
  );
  copyFileSync(join(import.meta.dirname, 'evaluator.py'), join(dir, 'evaluator.py'));
  const config = {
    max_iterations: programs,
    checkpoint_interval: NO_CHECKPOINTS,
    log_level: 'CRITICAL',
    llm: { api_base: url, api_key: 'none', models: [{ name: 'offline-gp', weight: 1 }] },
    evaluator: { parallel_evaluations: inFlight, cascade_evaluation: false },
  };
  writeFileSync(join(dir, 'config.yaml'), stringify(config));
  const command = [python, '-m', 'openevolve.cli', 'initial.py', 'evaluator.py', '-c', 'config.yaml', '-o', 'out'];
  return (await measuredCommand(command, { env: process.env, cwd: dir })).cpuSeconds;
};
