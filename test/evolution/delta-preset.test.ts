// The preset of method `delta` (deltaevolve, section 2, Configuration; property 16).
import { expect, it } from 'vitest';
import { resolveConfig } from '../../evolution/config/schema.ts';
import { PRESETS } from '../../evolution/methods/presets.ts';

it('property 16: preset delta equals Table 4 field by field', () => {
  expect(PRESETS.delta).toMatchObject({
    method: 'delta', seed: 42,
    // 100 iterations, 4 in parallel
    batch: 4, responses: 1, limits: { steps: 25 },
    model: { temperature: 0.7, topP: 0.95, maxTokens: 8192, timeoutSeconds: 600 },
    // 3 top plans, 2 diverse plans
    prompt: { style: 'delta', elites: 3, diverse: 2, diverseBy: 'far-cells', scope: 'run', scores: 'shown', draw: 'rule', feedback: 'full', eliteRatio: 0.1, priorPrograms: 0, inspirations: 0, ancestors: 0 },
    selection: { kind: 'mixture', exploration: 0.2, exploitation: 0.7, rest: 'weighted' },
    population: { cap: 40, archive: 20, islands: 3, map: 'grid', features: ['length', 'diversity'], bins: 10 },
    migration: { interval: 10, rate: 0.1 },
    delta: { window: 20, disclosure: 'window', missing: 'fallback', eliteExcludesParent: false },
    evaluation: { cpuSeconds: 300 },
  });
});

it('is what --method delta gives, and can be run', () => {
  const { config } = resolveConfig([{ settings: { method: 'delta', model: { kind: 'openai', name: 'm', baseUrl: 'http://127.0.0.1:1/v1' } }, where: () => 'test' }]);
  for (const section of ['population', 'selection', 'migration', 'prompt', 'delta', 'diff'] as const) expect(config[section]).toEqual(PRESETS.delta[section]);
  expect({ batch: config.batch, responses: config.responses, steps: config.limits.steps }).toEqual({ batch: 4, responses: 1, steps: 25 });
});
