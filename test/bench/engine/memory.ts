// The stack with nothing to do, after a small run has warmed everything up: CPU, and resident memory of each process
// and of the waiting containers.
import { setTimeout as sleep } from 'node:timers/promises';
import { resolveHome } from '../../../deploy/host/home.ts';
import type { TestHome } from '../../support/machine/home.ts';
import type { Judge } from '../conditions.ts';
import { residentOf, sampleHome, sharedOnce } from '../processes.ts';
import { homeCpu } from './engine.ts';

const SETTLE_MS = 15_000;
const IDLE_SECONDS = 30;
const MOST_PERCENT = 2;
const MOST_MEGABYTES = 600;

export const benchMemory = async (home: TestHome, say: (line: string) => void, judge: Judge): Promise<unknown> => {
  const small = ['--seed', '1', '--steps', '1', '--batch', '2', '--responses', '2'];
  const run = await home.evolve(['run', '--run', 'warm', ...small]);
  if (run.code !== 0) throw new Error(`${run.stdout}${run.stderr}`);
  await sleep(SETTLE_MS);
  const cpu = await homeCpu(home);
  cpu();
  await sleep(1000 * IDLE_SECONDS);
  const percent = Object.fromEntries(
    Object.entries(cpu()).map(([name, seconds]) => [name, Number(((100 * seconds) / IDLE_SECONDS).toFixed(2))]),
  );
  const sample = sampleHome(resolveHome(home.env).hash, home.up().processes);
  const resident = residentOf(sample);
  const onceMegabytes = Math.round(sharedOnce(sample) / 1e6);
  const megabytes = Object.fromEntries(
    Object.entries(resident).map(([name, bytes]) => [name, Math.round(bytes / 1e6)]),
  );
  const [cpuPercent, totalMegabytes] = [percent, megabytes].map((all) =>
    Number(
      Object.values(all)
        .reduce((a, b) => a + b, 0)
        .toFixed(1),
    ),
  ) as [number, number];
  const [least, most] = [
    judge({ what: 'CPU of the idle stack', value: cpuPercent, atMost: MOST_PERCENT, unit: ' %' }),
    judge({ what: 'memory of the idle stack', value: totalMegabytes, atMost: MOST_MEGABYTES, unit: ' MB' }),
  ];
  say(`  ${JSON.stringify(percent)}: ${cpuPercent} % of a core; ${least.text}`);
  say(
    `  ${JSON.stringify(megabytes)}: ${totalMegabytes} MB in all (shared pages counted once per process; without Docker's own daemon); ${most.text}. The processes alone, shared pages counted once: ${onceMegabytes} MB`,
  );
  return { percent, cpuPercent, megabytes, totalMegabytes, onceMegabytes };
};
