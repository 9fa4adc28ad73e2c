// Resident memory of each process and of the waiting containers with the stack idle, after a small run has warmed
// everything up.
import { resolveHome } from '../../../deploy/host/home.ts';
import type { TestHome } from '../../support/machine/home.ts';
import { residentOf, sampleHome } from '../processes.ts';

export const benchMemory = async (home: TestHome, say: (line: string) => void): Promise<unknown> => {
  const run = await home.evolve([
    'run',
    '--run',
    'warm',
    '--seed',
    '1',
    '--steps',
    '1',
    '--batch',
    '2',
    '--responses',
    '2',
  ]);
  if (run.code !== 0) throw new Error(`${run.stdout}${run.stderr}`);
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  const resident = residentOf(sampleHome(resolveHome(home.env).hash, home.up().processes));
  const megabytes = Object.fromEntries(
    Object.entries(resident).map(([name, bytes]) => [name, Math.round(bytes / 1e6)]),
  );
  const total = Object.values(megabytes).reduce((a, b) => a + b, 0);
  say(
    `  ${JSON.stringify(megabytes)}: ${total} MB in all (shared pages counted once per process; without Docker's own daemon)`,
  );
  return { megabytes, totalMegabytes: total };
};
