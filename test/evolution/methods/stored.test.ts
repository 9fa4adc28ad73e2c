// Settings as version 0.2.0 stored them: complete after reading, and a run that goes on with them behaves as it did.
import { describe, expect, it } from 'vitest';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { completeSchema } from '../../../evolution/config/settings.ts';
import { changedConfig } from '../../../evolution/methods/change.ts';
import { completeStored } from '../../../evolution/methods/defaults.ts';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';
import { thetaDefaults } from '../../../evolution/methods/theta.ts';

/** The defaults of 0.2.0, with a task, a model and some settings of its own. */
const STORED = {
  method: 'theta',
  task: 'circle-packing',
  seed: 7,
  batch: 4,
  responses: 2,
  limits: {
    steps: 200,
    programs: null,
    tokens: null,
    costUsd: null,
    wallSeconds: null,
    targetScore: null,
    noImprovementPrograms: null,
  },
  population: {
    cap: 500,
    archive: 50,
    islands: 3,
    features: ['score', 'length'],
    bins: 32,
    grid: 'island',
    childIsland: 'parent',
    samplingIsland: 'round-robin',
    admitFailures: false,
    protectElites: true,
  },
  selection: { kind: 'power', pool: 'island', exploration: 0.2, exploitation: 0.6, alpha: 2, tournament: 3 },
  migration: { topology: 'star', interval: 50, rate: 0.1 },
  prompt: { priorPrograms: 2, eliteRatio: 0.3, hints: [{ island: null, text: 'Use numpy.' }] },
  diff: { strict: false, enforceBlock: true, maxCodeChars: 50_000, parse: 'answer', lazyScope: 'history' },
  reward: { kind: 'objective', lower: null, upper: null, alpha: 1, k: 3 },
  model: {
    kind: 'openai',
    baseUrl: 'http://a/v1',
    name: 'a',
    temperature: 0.7,
    topP: 1,
    maxTokens: 16_384,
    timeoutSeconds: 600,
    nativeN: 'auto',
    price: { in: 1, out: 2 },
    weight: 1,
  },
  models: [],
  evaluation: { seed: 0, scoring: 'tolerant', acceptSavedOnTimeout: false, cpuSeconds: null, sandbox: 'auto' },
};
/** What a key that is new since then does not change. */
const EARLIER = {
  limits: { countPauses: true },
  population: { rebin: 'elites', displaced: 'stays' },
  diff: { accept: 'edits', moveImports: false, askAgain: 0 },
  evaluation: { raiseLimits: false, invalidStart: 'accept' },
  prompt: { frame: 'paper' },
};
const stored = (change: object = {}): RunConfig => ({ ...structuredClone(STORED), ...change }) as unknown as RunConfig;

describe('settings stored by 0.2.0', () => {
  const complete = completeStored(stored());

  it('come out complete: the schema takes them', () => {
    expect(completeSchema.safeParse(complete)).toMatchObject({ success: true });
    expect(Object.keys(complete).sort()).toEqual(Object.keys({ ...thetaDefaults, task: '' }).sort());
    for (const [key, value] of Object.entries(thetaDefaults)) {
      if (value !== null && typeof value === 'object' && !Array.isArray(value))
        expect(Object.keys(complete[key as keyof RunConfig] as object).sort(), key).toEqual(Object.keys(value).sort());
    }
  });

  it("keep what they had and have the preset's value where they had none", () => {
    for (const [key, value] of Object.entries(STORED)) {
      if (Array.isArray(value) || typeof value !== 'object') expect(complete[key as keyof RunConfig]).toEqual(value);
      else
        expect(complete[key as keyof RunConfig]).toEqual({
          ...(thetaDefaults[key as keyof typeof thetaDefaults] as object),
          // What has another default now goes on as it was.
          ...EARLIER[key as keyof typeof EARLIER],
          ...value,
        });
    }
    expect(complete.embedding).toEqual(thetaDefaults.embedding);
  });

  it('mean what they meant: a grid, the worst evicted, the best of islands migrating after so many children, no other program in a prompt, no embeddings', () => {
    expect(complete).toMatchObject({
      population: {
        map: 'grid',
        eviction: 'worst',
        protectElites: true,
        keepInitial: false,
        initialisation: 1,
        siblings: null,
      },
      selection: { kind: 'power', rest: 'population' },
      migration: { style: 'top', unit: 'children', topology: 'star' },
      prompt: {
        elites: 0,
        diverse: 0,
        inspirations: 0,
        ancestors: 0,
        bestEver: false,
        reintroduced: false,
        hints: [{ island: null, text: 'Use numpy.' }],
      },
      embedding: { model: null, threshold: null },
    });
  });

  it('go on ranking by what ranked them: the tolerance counts, also where the choice did not exist yet', () => {
    const { scoring, ...evaluation } = STORED.evaluation;
    expect(scoring).toBe('tolerant');
    expect(complete.evaluation.scoring).toBe('tolerant');
    expect(completeStored(stored({ evaluation })).evaluation.scoring).toBe('tolerant');
    expect(thetaDefaults.evaluation.scoring).toBe('strict');
  });

  it('of the mixture alone, as still earlier versions had it, come out as the mixture on a ring', () => {
    const early = completeStored(
      stored({ selection: { exploration: 0.3, exploitation: 0.5 }, migration: { interval: 20, rate: 0.2 } }),
    );
    expect(early.selection).toEqual({ ...thetaDefaults.selection, exploration: 0.3, exploitation: 0.5 });
    expect(early.migration).toEqual({ ...thetaDefaults.migration, interval: 20, rate: 0.2 });
  });

  it('can be changed as any others; one island, for which a ring was named, is no hindrance', () => {
    expect(changedConfig(complete, { kind: 'patch', patch: { batch: 8 } })).toEqual({ ...complete, batch: 8 });
    const single = completeStored(
      stored({
        population: { ...STORED.population, islands: 1 },
        migration: { topology: 'ring', interval: 50, rate: 0.1 },
      }),
    );
    expect(changedConfig(single, { kind: 'patch', patch: { batch: 8 } }).batch).toBe(8);
  });
});

describe('complete settings', () => {
  it('are the same object', () => {
    for (const settings of [
      {},
      { population: { map: 'cvt' as const, cells: 5, eviction: 'protect-elites' as const }, prompt: { diverse: 2 } },
    ]) {
      const { config } = resolveConfig([{ settings, where: () => 'test' }]);
      expect(completeStored(config)).toBe(config);
    }
    const once = completeStored(stored());
    expect(completeStored(once)).toBe(once);
  });

  it('are never changed in place, and a key that holds nothing counts as missing', () => {
    const given = stored();
    completeStored(given);
    expect(given).toEqual(STORED);
    const holed = { ...completeStored(stored()) };
    const filled = completeStored({
      ...holed,
      migration: { ...holed.migration, style: undefined },
    } as unknown as RunConfig);
    expect(filled.migration.style).toBe('top');
    expect(completeStored(filled)).toBe(filled);
  });
});
