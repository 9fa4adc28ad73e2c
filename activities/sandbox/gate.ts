// Compiles programs without running them, in a container of its own: a real Python says what is a program.
// A source that crashes the parser costs one restart. Called by evaluate.ts and the early checks.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Launcher, Log } from './confined.ts';
import { connectDocker } from './docker-connection.ts';
import { createDockerLauncher } from './docker-launcher.ts';
import { tooLong } from './plain-gate.ts';
import { createResident, ResidentDied } from './resident.ts';
import type { TrustedOptions } from './scorer.ts';
import type { Gate } from './types.ts';

const SOURCE = ['files.py', 'gate.py'].map(file => readFileSync(join(import.meta.dirname, file), 'utf8')).join('\n');
const TIMEOUT_MS = 15_000;

export const createGate = (launcher: Launcher, log: Log, timeoutMs = TIMEOUT_MS): Gate => {
  const resident = createResident({ launcher, name: 'gate', source: SOURCE, timeoutMs });
  const ask = async (sources: readonly string[], entry: string, signal: AbortSignal): Promise<readonly (string | null)[]> => {
    if (sources.length === 0) return [];
    try {
      return await resident.ask({ sources, entry }, signal) as readonly (string | null)[];
    } catch (error) {
      if (!(error instanceof ResidentDied)) throw error;
      log(`gate: ${error.message}; started again`);
      if (sources.length === 1) return ['the parser crashed'];
      const verdicts: (string | null)[] = [];
      for (const source of sources) verdicts.push(...await ask([source], entry, signal));
      return verdicts;
    }
  };
  const check: Gate['check'] = async (sources, entry, signal) => {
    const verdicts: (string | null)[] = sources.map(tooLong);
    const open = sources.flatMap((source, index) => (verdicts[index] === null ? [{ source, index }] : []));
    const parsed = await ask(open.map(({ source }) => source), entry, signal);
    open.forEach(({ index }, position) => { verdicts[index] = parsed[position] ?? null; });
    return verdicts;
  };
  return { check, close: async () => { await resident.close(); await launcher.close(); } };
};

export const createDockerGate = (options: TrustedOptions): Gate =>
  createGate(createDockerLauncher({ ...options, docker: connectDocker(options.dockerHost), trusted: true }), options.log);
