// Runs against an endpoint that does harm, on real parts: the key is nowhere that a run leaves a text, every run obeys,
// and the worker is as it was. `npm test` has a few scenarios, the full variant all of them.
// Attempts: endpoints and keys.
import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import { until } from '../../support/machine/home.ts';
import { type Hostile, SCENARIOS, startHostile } from '../../support/hostile/endpoint.ts';
import { placesWith } from '../../support/hostile/places.ts';
import { sharedHome } from '../../support/machine/live.ts';
import { FULL } from '../../support/sizes.ts';

const KEY = 'Zq7xW2pLm9-RtK4vB8nYc3_HdF6gJs1QaE0uTi5wX';
const SET = [
  'evaluation.sandbox=noop',
  'model.price.in=1',
  'model.price.out=1',
  'model.timeoutSeconds=5',
  'model.maxTokens=500',
].flatMap((setting) => ['--set', setting]);

describe('an endpoint that does harm', () => {
  const live = sharedHome();

  const hostileFor = async (): Promise<Hostile> => {
    const hostile = await startHostile();
    onTestFinished(() => hostile.stop());
    return hostile;
  };

  const begin = async (run: string, url: string, ...more: string[]): Promise<void> => {
    const began = await live.home.evolve(
      ['run', '--run', run, ...'--method naive --steps 1 --batch 1 --responses 1 --detach'.split(' '), ...SET, ...more],
      { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: url, EVOLVE_MODEL: 'm' },
    );
    expect(began.code, began.stdout + began.stderr).toBe(0);
  };
  const settled = (run: string): Promise<RunDocument> =>
    live.engine.seen(
      run,
      'at rest',
      ({ status }) => ['needs attention', 'finished', 'stopped'].includes(status),
      300_000,
    );
  const stop = async (run: string): Promise<void> => {
    await live.must('stop', run, '--now');
    await live.engine.ended(run);
  };

  it('gets its key into no place, holds no run up, and makes no number infinite', async () => {
    const hostile = await hostileFor();
    const parked = ['key-in-message', 'key-in-fields', 'wait-a-day'];
    const finished = ['key-in-content', 'usage-huge'];
    const nameOf = (scenario: string): string => `hostile-${scenario}`;
    for (const scenario of [...parked, ...finished]) await begin(nameOf(scenario), hostile.url(scenario));
    for (const scenario of parked) expect((await settled(nameOf(scenario))).status).toBe('needs attention');
    for (const scenario of finished) expect((await settled(nameOf(scenario))).status).toBe('finished');

    const reason = (await live.home.json(['status', nameOf('wait-a-day')])).stopReason as string;
    expect(reason).toMatch(/24 hours, until \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    expect((await live.home.json(['status', nameOf('key-in-message')])).stopReason).toContain('[key removed]');
    const { totals } = await live.engine.document(nameOf('usage-huge'));
    expect(totals.tokens.in + totals.tokens.out).toBeLessThan(1_000_000);
    expect(totals.costUsd).toBeLessThan(1);

    expect(await placesWith(KEY, ['key-in-message', 'key-in-content'].map(nameOf), live)).toEqual([]);
    for (const scenario of parked) await stop(nameOf(scenario));
    expect(hostile.elsewhere).toEqual([]);
  });

  it.runIf(FULL)('in every scenario at once: two runs go through all of them and finish', async () => {
    const hostile = await hostileFor();
    for (const [run, streams] of [
      ['hostile-all', false],
      ['hostile-all-streams', true],
    ] as const) {
      const batch = Object.values(SCENARIOS).filter(({ stream = false }) => stream === streams).length;
      await begin(
        run,
        hostile.url(streams ? 'all-streams' : 'all'),
        '--batch',
        String(batch),
        '--set',
        `model.stream=${streams}`,
      );
      // Whoever refused parks its group until a person says to try again.
      const ended = await until(`run ${run} to finish`, 900_000, async () => {
        const { status } = await settled(run);
        if (status === 'needs attention') await live.home.evolve(['retry', run]);
        return status === 'finished' ? live.engine.document(run) : null;
      });
      expect(ended.totals.costUsd).toBeLessThan(10);
      expect(await live.home.json(['status', run])).toMatchObject({ state: 'finished', programs: batch });
      expect(await placesWith(KEY, [run], live)).toEqual([]);
    }
    for (const name of Object.keys(SCENARIOS)) expect([name, hostile.arrived.get(name) ?? 0]).not.toEqual([name, 0]);
    expect(hostile.elsewhere).toEqual([]);
    // What the worker took for hostile answers it gives back.
    await until('the worker to be below 500 MB', 300_000, () => residentBytes(live.home.pid('worker')) < 500e6);
  });
});

const residentBytes = (pid: number): number => {
  const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
  return Number(pages) * 4096;
};
