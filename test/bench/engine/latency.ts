// Share of the ideal with a model of 1 s latency and 32 requests in flight: the ideal makes 32 programs a second.
import type { Judge } from '../conditions.ts';
import { startModel, type TestHome } from '../../support/machine/home.ts';

const BATCH = 32;
const RESPONSES = 16;
const STEPS = 3;
const IN_FLIGHT = 32;
const SHARE_GOAL = 0.9;

export const benchLatency = async (home: TestHome, say: (line: string) => void, judge: Judge): Promise<unknown> => {
  const model = await startModel('--trivial', '--latency-ms', '1000');
  try {
    const flags = [
      '--seed',
      '1',
      '--batch',
      String(BATCH),
      '--responses',
      String(RESPONSES),
      '--base-url',
      model.url,
      '--model',
      'offline-gp',
      '--set',
      'evaluation.sandbox=noop',
      '--set',
      'model.nativeN=false',
    ];
    const started = Date.now();
    const run = await home.evolve(['run', '--run', 'bench', '--steps', String(STEPS), ...flags]);
    if (run.code !== 0) throw new Error(`${run.stdout}${run.stderr}`);
    const status = await home.json(['status', 'bench']);
    const seconds = status.wallSeconds as number;
    const ideal = (STEPS * BATCH * RESPONSES) / IN_FLIGHT;
    const share = Number((ideal / seconds).toFixed(3));
    say(
      `  ${status.programs} programs in ${seconds.toFixed(1)} s (ideal ${ideal} s): ${(100 * share).toFixed(1)} % of the ideal; command took ${((Date.now() - started) / 1000).toFixed(1)} s; ${judge({ what: 'share of the ideal', value: share, atLeast: SHARE_GOAL }).text}`,
    );
    return { programs: status.programs, seconds, idealSeconds: ideal, share };
  } finally {
    await model.stop();
  }
};
