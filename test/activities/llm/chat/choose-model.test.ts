// Which model a group is asked of: with the bandit by what the models' programs were worth, the same on every attempt.
import { describe, expect, it } from 'vitest';
import { createChooseModel } from '../../../../activities/llm/chat/choose-model.ts';
import { rebuildRun } from '../../../../activities/rebuild/rebuild.ts';
import { usageLines } from '../../../../cli/commands/run/usage.ts';
import { usageOf } from '../../../../client/read/usage.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';
import { run, twoModels } from './bandit-world.ts';
import { configFrom } from '../../../support/domain/asked-run.ts';

const STEPS = 8;
const played = async (settings: object = {}, newWorkers = false) => {
  const world = twoModels(settings);
  await world.open();
  for (let step = 0; step <= STEPS; step += 1) {
    if (newWorkers) world.newWorker();
    await world.step(step);
  }
  return world;
};
const shareOfGood = (asked: readonly { readonly step: number; readonly model: string }[], from: number): number => {
  const late = asked.filter(({ step }) => step >= from);
  return late.filter(({ model }) => model === 'good').length / late.length;
};

describe('the ensemble', () => {
  const config = configFrom({
    seed: 42,
    model: { kind: 'openai', baseUrl: 'http://a/v1', name: 'primary', weight: 0.8 },
    models: [{ name: 'secondary', weight: 0.2 }],
  });
  const draw = (choose: ReturnType<typeof createChooseModel>, t: number, seed = 42): Promise<string> =>
    choose({
      run: 'r',
      step: 1 + Math.floor(t / 4),
      epoch: 0,
      version: 1,
      group: t % 4,
      role: 'exploit',
      config: { ...config, seed },
    }).then(({ name }) => name);

  it('DeltaEvolve 15: 10,000 draws: primary share 0.8 ± 0.012; the same seed, the same sequence, at any number of workers', async () => {
    const one = createChooseModel(memoryStore());
    const drawn: string[] = [];
    for (let t = 0; t < 10_000; t += 1) drawn.push(await draw(one, t));
    expect(Math.abs(drawn.filter((name) => name === 'primary').length / drawn.length - 0.8)).toBeLessThan(0.012);
    // Three workers, each with every third request, the last first; each asked twice.
    const workers = [0, 1, 2].map(() => createChooseModel(memoryStore()));
    const shared = new Array<string>(3_000);
    for (let t = shared.length - 1; t >= 0; t -= 1) {
      await draw(workers[t % 3]!, t);
      shared[t] = await draw(workers[t % 3]!, t);
    }
    expect(shared).toEqual(drawn.slice(0, shared.length));
    const other = await Promise.all(Array.from({ length: 200 }, (_, t) => draw(one, t, 43)));
    expect(other).not.toEqual(drawn.slice(0, 200));
  });

  it('CodeEvolve 23: ensemble 0.6/0.4: frequencies ±0.01 over 20,000 calls; exploration never calls PRO', async () => {
    const operators = configFrom({
      seed: 42,
      model: { kind: 'openai', baseUrl: 'http://a/v1', name: 'FLASH', weight: 0.6 },
      models: [{ name: 'PRO', weight: 0.4, roles: ['exploit'] }],
    });
    const choose = createChooseModel(memoryStore());
    const drawn = async (role: 'exploit' | 'explore', count: number): Promise<string[]> => {
      const names: string[] = [];
      for (let t = 0; t < count; t += 1)
        names.push(
          (await choose({ run: 'r', step: 1 + t, epoch: 0, version: 1, group: 0, role, config: operators })).name,
        );
      return names;
    };
    const exploiting = await drawn('exploit', 20_000);
    expect(Math.abs(exploiting.filter((name) => name === 'FLASH').length / 20_000 - 0.6)).toBeLessThan(0.01);
    expect(new Set(await drawn('explore', 2_000))).toEqual(new Set(['FLASH']));
  });
});

describe('the bandit', () => {
  it('asks every model at once, and the better one most after some steps', async () => {
    const { asked } = await played();
    expect(new Set(asked.filter(({ step }) => step === 1).map(({ model }) => model))).toEqual(
      new Set(['good', 'poor']),
    );
    expect(shareOfGood(asked, 4)).toBeGreaterThan(0.7);
    expect(shareOfGood(asked, 4)).toBeLessThan(1);
    expect(shareOfGood((await played({ modelChoice: 'weighted' })).asked, 4)).toBeLessThan(0.7);
  });

  it('chooses the same on every worker: from what is stored alone, step by step or all at once', async () => {
    const [kept, fresh] = [await played(), await played({}, true)];
    expect(fresh.asked).toEqual(kept.asked);
  });

  it('asks the same model again when an attempt is repeated, and pays nothing for what is stored', async () => {
    const world = await played();
    const [first, second] = [await played(), world];
    for (const one of [first, second]) for (const number of [3, 1, 0, 2]) await one.group(STEPS + 1, number);
    const before = world.asked.length;
    await world.group(STEPS + 1, 2);
    expect(world.asked).toHaveLength(before);
    expect(first.asked).toEqual(second.asked);
  });
});

describe('what a run used', () => {
  it('adds up to its totals, cached and reasoning tokens and dollars too, and a rebuild agrees', async () => {
    const { store } = await played();
    const document = (await store.readRun(run))!;
    const { total, models, roles, steps, unpriced } = await usageOf(store, document);
    expect(total.tokens).toEqual(document.totals.tokens);
    expect(total.costUsd).toBeCloseTo(document.totals.costUsd, 12);
    expect(total.answers).toBe(STEPS * 16);
    expect(models.map(({ model }) => model)).toEqual(['good', 'poor']);
    const good = models[0]!;
    expect(good.tokens).toEqual({
      in: 50 * good.answers,
      out: 10 * good.answers,
      cached: 20 * good.answers,
      reasoning: 4 * good.answers,
    });
    expect(good.costUsd).toBeCloseTo(((30 * 1 + 20 * 0.5 + 10 * 10) * good.answers) / 1e6, 12);
    expect(models[1]!.tokens).toEqual({ in: 50 * models[1]!.answers, out: 10 * models[1]!.answers });
    expect(roles.map(({ role, answers }) => [role, answers])).toEqual([['exploit', STEPS * 16]]);
    expect(steps.map(({ step, answers }) => [step, answers])).toEqual([
      [0, 0],
      ...Array.from({ length: STEPS }, (_, index) => [index + 1, 16]),
    ]);
    expect(unpriced).toEqual([]);
    expect((await rebuildRun({ store }, run)).differences).toEqual([]);
  });

  it('is shown by model, role and, where asked for, step; what no endpoint named is no zero', async () => {
    const { store } = await played();
    const report = await usageOf(store, (await store.readRun(run))!);
    const lines = usageLines(report, true);
    expect(lines[0]).toBe(`r: ${STEPS * 16} answers in ${STEPS} steps`);
    expect(lines.find((one) => one.startsWith('  poor'))).toMatch(/ - .* - +\$/);
    expect(lines.filter((one) => /^ {2}\d+ /.test(one))).toHaveLength(STEPS + 1);
    expect(usageLines(report, false).some((one) => one.startsWith('step'))).toBe(false);
  });
});
