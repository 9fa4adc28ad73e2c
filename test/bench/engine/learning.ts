// What learning costs: a run of tasks/toy-digits on a stack (share of a step, reward, mismatch), and the trainer alone
// on this machine (seconds a sampled token, seconds an update), by the package that ships.
import type { Judge } from '../conditions.ts';
import { runCommand } from '../../../deploy/host/run-command.ts';
import { type TestHome } from '../../support/machine/home.ts';
import { TRAINER_ENV, TRAINER_PYTHON } from '../../support/machine/trainer-python.ts';

const RUN = 'bench';
const HOUR_MS = 3_600_000;

type Policy = {
  readonly step: number;
  readonly reward: { readonly mean: number | null };
  readonly mismatch: number;
  readonly seconds: number;
  readonly servedAt: string;
};

/** Of the steps between two updates of a policy: their mean seconds, and the share of them that the update takes. */
const shareOf = (policies: readonly Policy[]) => {
  const updates = policies.filter(({ reward }) => reward.mean !== null);
  const gaps = updates.slice(1).map(({ servedAt, seconds }, index) => ({
    step: (Date.parse(servedAt) - Date.parse(updates[index]!.servedAt)) / 1000,
    seconds,
  }));
  const sum = (of: 'step' | 'seconds'): number => gaps.reduce((total, gap) => total + gap[of], 0);
  return {
    steps: updates.length,
    stepSeconds: Number((sum('step') / gaps.length).toFixed(3)),
    updateSeconds: Number((sum('seconds') / gaps.length).toFixed(3)),
    share: Number((sum('seconds') / sum('step')).toFixed(3)),
    rewards: updates.map(({ reward }) => Number(reward.mean!.toFixed(3))),
    mismatch: Math.max(...updates.map(({ mismatch }) => mismatch)),
  };
};

/** `steps` of a run with seed 1, and one of the trainer without the engine. No figure has a goal yet. */
export const benchLearning = async (
  home: TestHome,
  say: (line: string) => void,
  _judge: Judge,
  { steps }: { readonly steps: number },
): Promise<unknown> => {
  if (TRAINER_PYTHON === null) {
    say('  left out: no Python with PyTorch is prepared here; `npx evolve up --learn` prepares it');
    return { leftOut: 'no PyTorch' };
  }
  const script = new URL('learning.py', import.meta.url).pathname;
  const { ok, stdout, error } = await runCommand(TRAINER_PYTHON, [script], { env: TRAINER_ENV, timeoutMs: HOUR_MS });
  if (!ok) throw new Error(`${error}\n${stdout}`);
  const trainer = JSON.parse(stdout) as readonly Readonly<Record<string, unknown>>[];
  for (const measured of trainer) say(`  trainer alone: ${JSON.stringify(measured)}`);
  const run = await home.evolve([
    ...['run', '--learn', '--task', 'toy-digits', '--run', RUN, '--seed', '1', '--steps', String(steps)],
  ]);
  if (run.code !== 0) throw new Error(`${run.stdout}${run.stderr}`);
  const inRun = shareOf(await home.json(['policies', RUN]));
  say(`  run: a step takes ${inRun.stepSeconds} s, the update ${inRun.updateSeconds} s of it (${100 * inRun.share} %)`);
  say(`  rewards: ${inRun.rewards.join(' ')}; largest mean mismatch ${inRun.mismatch} nats`);
  return { trainer, run: inRun };
};
