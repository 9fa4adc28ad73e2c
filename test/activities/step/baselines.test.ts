// The OpenEvolve preset and the simple baselines, as they play over the store in memory (docs/methods/controls.md;
// DeltaEvolve 18, ThetaEvolve 21).
import { beforeAll, describe, expect, it } from 'vitest';
import type { PromptDocument } from '../../../activities/store/documents/step-documents.ts';
import { shippedTask } from '../../support/domain/shipped-tasks.ts';
import type { RunSettings } from '../../../evolution/config/settings.ts';
import { programId, promptId } from '../../../evolution/ids.ts';
import { PRESETS } from '../../../evolution/methods/presets.ts';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';
import { FAILURE_CODE } from '../../../evolution/scoring/failures.ts';
import { programsOf } from '../../support/worlds/conducted.ts';
import { run, world } from '../../support/worlds/world.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const resolve = (settings: RunSettings) =>
  configFrom({
    seed: 7,
    ...settings,
    model: { kind: 'openai', name: 'm', baseUrl: 'http://127.0.0.1:1/v1', ...settings.model },
  });

const played = async (settings: RunSettings, steps: number) => {
  const { store, step, call, activities } = world();
  const config = resolve(settings);
  await call(activities.openRun, { run, owner: 'first', config });
  for (let n = 0; n <= steps; n += 1) await step(n, false);
  const programs = await programsOf(store);
  const prompts: PromptDocument[] = [];
  const best: (string | undefined)[] = [];
  for (let n = 1; n <= steps; n += 1)
    prompts.push(
      ...(
        await store.getPrompts(Array.from({ length: config.batch }, (_, group) => promptId(run, n, 0, group)))
      ).values(),
    );
  for await (const marker of store.eachStep(run)) best.push(marker.best?.program);
  const texts = await store.getTexts(prompts.flatMap(({ system, user }) => [system, user]));
  return { config, programs, prompts, best, texts, users: prompts.map(({ user }) => texts.get(user)!), store };
};
const INITIAL = programId(run, 0, 0, 0);

describe('parallel-sampling', () => {
  let world: Awaited<ReturnType<typeof played>>;
  beforeAll(async () => {
    world = await played({ method: 'parallel-sampling', limits: { steps: 3 } }, 3);
  });

  it('DeltaEvolve 18: its prompts are identical, and hold the task and the initial program only', async () => {
    const { prompts, users, config } = world;
    expect(prompts).toHaveLength(30);
    expect(new Set(prompts.map(({ system, user }) => `${system} ${user}`)).size).toBe(1);
    const task = await shippedTask(config.task);
    expect(users[0]).toContain(task.initialProgram.trimEnd());
    expect(users[0]).not.toMatch(/Metrics|Fitness|valid = /);
    expect(prompts.every(({ context = [], priorPrograms }) => context.length === 0 && priorPrograms.length === 0)).toBe(
      true,
    );
  });
  it('every child is one of the initial program, and a repeated answer is a sample like any other', () => {
    const children = world.programs.slice(1);
    expect(children.every(({ parents }) => parents[0] === INITIAL)).toBe(true);
    expect(children.filter(({ outcome }) => outcome === 'duplicate')).toEqual([]);
    const later = children.filter(
      ({ step, normHash }) =>
        step > 1 && normHash !== null && children.some((other) => other.step === 1 && other.normHash === normHash),
    );
    expect(later.length).toBeGreaterThan(0);
    expect(later.every(({ outcome }) => outcome === 'valid')).toBe(true);
  });
});

describe('greedy-refine', () => {
  it('DeltaEvolve 18: always edits the current best, and shows its feedback and no other program', async () => {
    const { prompts, best, users } = await played({ method: 'greedy-refine', limits: { steps: 6 } }, 6);
    expect(prompts.map(({ parent }) => parent)).toEqual(best.slice(0, 6));
    for (const user of users) {
      expect(user).toMatch(/- Fitness: sum_radii_strict = /);
      expect(user).not.toMatch(/# (Best programs|Previous attempts|Inspirations|Diverse programs|Prior programs)/);
    }
  });
});

describe('static', () => {
  it("ThetaEvolve 21: every parent is the initial program, everything else is theta's", async () => {
    const { prompts, programs } = await played({ method: 'static', batch: 2, responses: 3, limits: { steps: 3 } }, 3);
    expect(prompts.every(({ parent }) => parent === INITIAL)).toBe(true);
    expect(programs.slice(1).every(({ parents }) => parents[0] === INITIAL)).toBe(true);
    const { method: _, selection, population, ...rest } = PRESETS.static;
    expect(PRESETS.theta).toMatchObject(rest);
    expect({ ...selection, kind: 'mixture' }).toEqual(PRESETS.theta.selection);
    expect({ ...population, keepInitial: false }).toEqual(PRESETS.theta.population);
  });
  it('ThetaEvolve 18: the format reward is a setting of it', async () => {
    const { programs } = await played(
      { method: 'static', batch: 2, responses: 6, limits: { steps: 2 }, reward: { kind: 'format' } },
      2,
    );
    const rewards = Map.groupBy(programs.slice(1), ({ outcome }) => outcome);
    expect(rewards.get('valid')?.every(({ reward }) => reward === 1)).toBe(true);
    expect(rewards.get('no_diff')?.every(({ reward }) => reward === FAILURE_CODE.no_diff)).toBe(true);
  });
});

describe('openevolve', () => {
  it("the preset is OpenEvolve's, field by field", () => {
    expect(PRESETS.openevolve).toMatchObject({
      batch: 5,
      responses: 1,
      limits: { steps: 2_000 },
      seed: 42,
      population: {
        cap: 1000,
        archive: 100,
        islands: 5,
        features: ['length', 'diversity'],
        bins: 10,
        map: 'grid',
        grid: 'island',
        protectElites: true,
        childIsland: 'slot',
        displaced: 'leaves',
        rebin: 'elites',
      },
      selection: { kind: 'mixture', exploration: 0.2, exploitation: 0.7, rest: 'weighted' },
      migration: { interval: 50, rate: 0.1, topology: 'ring', unit: 'children' },
      prompt: { style: 'openevolve', scope: 'island' },
      model: { temperature: 0.7, maxTokens: 4096, timeoutSeconds: 60 },
      diff: { maxCodeChars: 10_000, accept: 'either', lazyScope: 'parent' },
    });
  });
  it.each(['openevolve', 'parallel-sampling', 'greedy-refine', 'static'] as const)(
    '%s: the preset breaks no rule of the settings',
    (method) => {
      expect(resolve({ method })).toMatchObject({
        ...PRESETS[method],
        model: expect.anything(),
        seed: 7,
        evaluation: expect.anything(),
      });
      expect(() => resolveConfig([{ settings: { method }, where: () => 'test' }])).not.toThrow();
    },
  );
  it("shows what the plan names: the best of the parent's island as attempts and code, the parent last", async () => {
    const { prompts, users, store, texts, config } = await played(
      { method: 'openevolve', limits: { steps: 14 }, population: { islands: 1 }, prompt: { frame: 'paper' } },
      14,
    );
    const last = prompts.at(-1)!;
    const elites = last.context!.filter(({ role }) => role === 'elite');
    expect(elites.length).toBeGreaterThan(1);
    const shown = await store.getPrograms([...elites.map(({ id }) => id), last.parent]);
    const fits = elites.map(({ id }) => shown.get(id)!.fit!);
    expect(fits).toEqual([...fits].sort((a, b) => b - a));
    const user = users.at(-1)!;
    expect(user.match(/## Attempt /g)).toHaveLength(Math.min(3, elites.length));
    const code = (await store.getTexts([shown.get(last.parent)!.code!])).get(shown.get(last.parent)!.code!)!;
    expect(user.split('# Current program')[1]).toContain(code.trimEnd());
    expect(user).toMatch(/- Feature coordinates: length = \d+, diversity = /);
    expect(texts.get(last.system)).toContain(
      (await shippedTask(config.task)).prompts
        .find(({ name }) => name === last.part)!
        .text.trim()
        .slice(0, 80),
    );
  });
  it('masked: the prompts of a run hold no score of any program', async () => {
    const { users, programs } = await played(
      { method: 'openevolve', limits: { steps: 8 }, prompt: { scores: 'masked' } },
      8,
    );
    for (const { score } of programs)
      if (score !== null && !Number.isInteger(score))
        for (const user of users) expect(user).not.toContain(String(score));
    for (const user of users) expect(user).toMatch(/- Fitness: sum_radii_strict = (\[hidden\]|none)/);
  });
});
