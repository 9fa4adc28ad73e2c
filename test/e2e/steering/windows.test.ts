// Islands and streams that do not wait, on real parts: one whose model is slow holds nobody up, whatever happens
// meanwhile, and kills lose nothing.
import { describe, expect, it } from 'vitest';
import { rebuildRun } from '../../../activities/rebuild/rebuild.ts';
import type { ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import { taskLoader } from '../../../activities/task/kept-task.ts';
import { programId } from '../../../evolution/ids.ts';
import { until } from '../../support/machine/home.ts';
import { allDifferent, endpointFor, liveHome } from '../../support/machine/live.ts';
import { expectWhole } from '../../support/machine/whole.ts';
import { FULL } from '../../support/sizes.ts';
import { collect } from '../../activities/store/fixtures.ts';

const ISLANDS = 3;
const STEPS = 8;
const SLOW = 'You are the slow one.';

describe('islands between migrations', () => {
  const live = liveHome('windows');
  const settings = (baseUrl: string, population: object = {}, more: object = {}) => ({
    method: 'code' as const,
    seed: 11,
    batch: ISLANDS,
    responses: 1,
    limits: { steps: STEPS },
    migration: { interval: 6 },
    evaluation: { sandbox: 'noop' as const },
    model: { name: 'small', baseUrl },
    prompt: { hints: [{ island: 1, text: SLOW }] },
    population: { islands: ISLANDS, initialisation: 2, ...population },
    ...more,
  });
  const programsOf = (run: string): Promise<readonly ProgramDocument[]> => collect(live.engine.store.eachProgram(run));
  /** What does not name the run. */
  const content = (programs: readonly ProgramDocument[]) =>
    programs.map(({ step, slot, island, outcome, score, normHash, parents }) => [
      step,
      slot,
      island,
      outcome,
      score,
      normHash,
      parents.map((parent) => parent.split(':').slice(1).join(':')),
    ]);
  const responded = async (run: string, step: number, slot: number) =>
    (await live.engine.store.getRollouts([programId(run, step, 0, slot)])).size === 1;
  const clean = async (run: string) =>
    expect(await rebuildRun({ store: live.engine.store, loadTask: taskLoader(live.engine.store) }, run)).toMatchObject({
      differenceCount: 0,
      differences: [],
    });

  it.runIf(FULL)(
    'a slow island holds nobody up until the migration; a kill loses nothing, and the programs are those of islandSync epoch',
    async () => {
      const endpoint = await endpointFor();
      await live.engine.start('together', settings(endpoint.url, { islandSync: 'epoch' }));
      await live.engine.ended('together');
      // So slow that it answers after the kill only.
      const slow = await endpointFor({ latencyMs: (_, prompt) => (prompt.includes(SLOW) ? 600_000 : 20) });
      await live.engine.start('apart', settings(slow.url));
      await until(
        'the others to reach the migration',
        60_000,
        async () => (await responded('apart', 6, 0)) && (await responded('apart', 6, 2)),
      );
      expect((await live.engine.document('apart')).committedStep).toBeLessThan(3);
      expect([await responded('apart', 7, 0), await responded('apart', 4, 1)]).toEqual([false, false]);
      await live.home.kill('worker');
      slow.setLatency(20);
      const { totals, committedStep } = await live.engine.ended('apart', 120_000);
      expect([committedStep, totals.programs]).toEqual([STEPS, STEPS * ISLANDS]);
      expect(content(await programsOf('apart'))).toEqual(content(await programsOf('together')));
      await clean('apart');
    },
  );

  it.runIf(FULL)(
    'a pause ends the window where its first island is; everything that was begun is committed, and going on asks nothing twice',
    async () => {
      const endpoint = await endpointFor({ latencyMs: (_, prompt) => (prompt.includes(SLOW) ? 1_500 : 400) });
      await live.engine.start('paused', settings(endpoint.url));
      await until('an island to be ahead', 60_000, () => responded('paused', 3, 0));
      // Nobody gets to the migration while the pause is on its way.
      endpoint.setLatency(4_000);
      await live.engine.signal('paused', 'pause', {});
      await live.engine.seen('paused', 'paused', ({ status }) => status === 'paused');
      await until(
        'the window to end',
        60_000,
        async () => !(await live.engine.isOpen('run/paused/step/000001').catch(() => false)),
      );
      const { committedStep } = await live.engine.document('paused');
      expect(committedStep).toBeGreaterThanOrEqual(3);
      expect(committedStep).toBeLessThan(6);
      for (let slot = 0; slot < ISLANDS; slot++) expect(await responded('paused', committedStep + 1, slot)).toBe(false);
      const waiting = endpoint.arrived();
      endpoint.setLatency(20);
      await live.engine.signal('paused', 'resume', {});
      await live.engine.ended('paused');
      expect(endpoint.arrived()).toBeGreaterThan(waiting);
      expect(allDifferent(endpoint)).toBe(true);
      expect(content(await programsOf('paused'))).toEqual(content(await programsOf('together')));
      await clean('paused');
    },
  );

  it('a stream whose worker and engine are killed ends with every program, and with none twice', async () => {
    const [steps, batch, inFlight] = [FULL ? 10 : 6, 8, 16];
    const endpoint = await endpointFor({ latencyMs: () => 150 });
    const stream = { method: 'openevolve' as const, schedule: 'continuous' as const, batch, inFlight };
    const of = settings(endpoint.url, {}, { ...stream, limits: { steps }, migration: {}, prompt: {}, population: {} });
    await live.engine.start('killed', of);
    const kills = [[1, 'worker'] as const, [3, 'temporal'] as const];
    for (const [at, victim] of [...kills, ...(FULL ? [[5, 'worker'] as const, [7, 'temporal'] as const] : [])]) {
      await live.engine.seen('killed', `step ${at}`, ({ committedStep }) => committedStep >= at, 240_000);
      await live.home.kill(victim);
    }
    const { committedStep, totals } = await live.engine.ended('killed', 240_000);
    const programs = await programsOf('killed');
    expect([committedStep, totals.programs]).toEqual([steps, steps * batch]);
    expect(new Set(programs.map(({ _id }) => _id)).size).toBe(1 + steps * batch);
    expect(programs).toHaveLength(1 + steps * batch);
    // Each kill can cost the requests that were under way, and none that was answered before.
    const { waiting } = await live.engine.store.unanswered('killed');
    expect([waiting, endpoint.asked.length <= steps * batch + 4 * inFlight]).toEqual([0, true]);
    await clean('killed');
  });

  it('steps whose requests go together, killed while some of them have answers, pay for none twice', async () => {
    const [steps, batch] = [2, 40];
    const usage = { in: 90, out: 10 };
    // Some of a call have answers, and others have not, whenever it is looked at.
    const endpoint = await endpointFor({ usage: () => usage, latencyMs: (at) => 100 + 400 * (at % 4) });
    const more = { method: 'openevolve' as const, batch, limits: { steps }, migration: {}, prompt: {}, population: {} };
    await live.engine.start('many', settings(endpoint.url, {}, more));
    const answered = async (step: number): Promise<number> => {
      const ids = Array.from({ length: batch }, (_, slot) => programId('many', step, 0, slot));
      return (await live.engine.store.getRollouts(ids)).size;
    };
    for (const [step, victim] of [
      [1, 'worker'],
      [2, 'temporal'],
    ] as const) {
      await until(`answers of step ${step}`, 120_000, async () => (await answered(step)) >= 8);
      await live.home.kill(victim);
    }
    const { totals } = await live.engine.ended('many', 240_000);
    await expectWhole(live.engine.store, 'many', { steps, perStep: batch });
    expect(totals.tokens).toEqual({ in: 90 * steps * batch, out: 10 * steps * batch });
    const { waiting, requests } = await live.engine.store.unanswered('many');
    // What was under way when its worker was killed may be sent again; nothing that was answered is.
    expect([waiting, endpoint.asked.length - steps * batch <= requests]).toEqual([0, true]);
  });

  it('limits hold: programs to the last one, tokens as a step alone would', async () => {
    const endpoint = await endpointFor({
      usage: () => ({ in: 90, out: 10 }),
      latencyMs: (_, prompt) => (prompt.includes(SLOW) ? 300 : 20),
    });
    await live.engine.start('few', settings(endpoint.url, {}, { limits: { programs: 13 } }));
    expect(await live.engine.ended('few')).toMatchObject({ stopReason: 'programs', totals: { programs: 13 } });
    await live.engine.start('cheap', settings(endpoint.url, {}, { limits: { tokens: 1_250 } }));
    const { stopReason, totals } = await live.engine.ended('cheap');
    expect(stopReason).toBe('tokens');
    expect(totals.tokens.in + totals.tokens.out).toBeLessThanOrEqual(1_250);
    expect(totals.tokens.in + totals.tokens.out).toBeGreaterThan(900);
    await clean('few');
    await clean('cheap');
  });

  it.runIf(FULL)(
    "a rewind into a window, a change of settings and a program of one's own go on from committed steps",
    async () => {
      const endpoint = await endpointFor({ latencyMs: (_, prompt) => (prompt.includes(SLOW) ? 800 : 50) });
      await live.engine.start('steered', settings(endpoint.url, {}, { limits: { steps: 14 } }));
      await live.engine.seen('steered', 'step 2', ({ committedStep }) => committedStep >= 2);
      const { version } = await live.engine.update<{ version: number }>('steered', 'set', {
        patch: { diff: { maxCodeChars: 40_000 } },
      });
      await live.engine.update('steered', 'inject', {
        program: 'import math\n\n\ndef construct(instance):\n    return {"circles": []}\n',
        island: 1,
      });
      await live.engine.seen('steered', 'step 7', ({ committedStep }) => committedStep >= 7);
      await live.engine.update('steered', 'rewind', { toStep: 3, resample: true });
      endpoint.setLatency(20);
      await live.engine.ended('steered');
      await clean('steered');
      const programs = await programsOf('steered');
      expect(programs.filter(({ step }) => step === 14)).toHaveLength(ISLANDS);
      const versions: number[] = [];
      for await (const step of live.engine.store.eachStep('steered', 1)) versions.push(step.configVersion);
      expect(versions.at(-1)).toBe(version);
      expect(allDifferent(endpoint)).toBe(true);
    },
  );
});
