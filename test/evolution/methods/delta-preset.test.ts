// The preset of method `delta` (DeltaEvolve Table 4; DeltaEvolve 16).
import { describe, expect, it } from 'vitest';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { changedConfig } from '../../../evolution/methods/change.ts';
import { PRESETS } from '../../../evolution/methods/presets.ts';
import { weightNotes } from '../../../evolution/models/ensemble.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

it('DeltaEvolve 16: preset delta equals Table 4 field by field', () => {
  expect(PRESETS.delta).toMatchObject({
    method: 'delta',
    seed: 42,
    // 100 iterations, 4 in parallel
    batch: 4,
    responses: 1,
    limits: { steps: 25 },
    model: { temperature: 0.7, topP: 0.95, maxTokens: 8192, timeoutSeconds: 600 },
    // 3 top plans, 2 diverse plans
    prompt: {
      style: 'delta',
      elites: 3,
      diverse: 2,
      diverseBy: 'far-cells',
      scope: 'run',
      scores: 'shown',
      draw: 'rule',
      feedback: 'full',
      eliteRatio: 0.1,
      priorPrograms: 0,
      inspirations: 0,
      ancestors: 0,
    },
    selection: { kind: 'mixture', exploration: 0.2, exploitation: 0.7, rest: 'weighted' },
    population: { cap: 40, archive: 20, islands: 3, map: 'grid', features: ['length', 'diversity'], bins: 10 },
    migration: { interval: 10, rate: 0.1 },
    delta: { window: 20, disclosure: 'window', missing: 'fallback', eliteExcludesParent: false },
    evaluation: { cpuSeconds: 300 },
  });
});

it('is what --method delta gives, and can be run', () => {
  const config = configFrom({
    method: 'delta',
    model: { kind: 'openai', name: 'm', baseUrl: 'http://127.0.0.1:1/v1' },
  });
  for (const section of ['population', 'selection', 'migration', 'prompt', 'delta', 'diff'] as const)
    expect(config[section]).toEqual(PRESETS.delta[section]);
  expect({ batch: config.batch, responses: config.responses, steps: config.limits.steps }).toEqual({
    batch: 4,
    responses: 1,
    steps: 25,
  });
});

describe('its models', () => {
  const resolve = (settings: object) => configFrom(settings);
  const baseUrl = 'http://127.0.0.1:1/v1';

  it.each(['delta', 'parallel-sampling', 'greedy-refine'])(
    '%s: those of Table 4 at 0.8 and 0.2 where an endpoint is named and no model',
    (method) => {
      const { model, models } = resolve({ method, model: { baseUrl } });
      expect(
        [model, ...models].map(({ kind, name, weight, temperature, topP, maxTokens, timeoutSeconds, ...rest }) => [
          kind,
          name,
          weight,
          temperature,
          topP,
          maxTokens,
          timeoutSeconds,
          rest.baseUrl,
        ]),
      ).toEqual([
        ['openai', 'gpt-5-mini', 0.8, 0.7, 0.95, 8192, 600, baseUrl],
        ['openai', 'o3-mini', 0.2, 0.7, 0.95, 8192, 600, baseUrl],
      ]);
      expect(weightNotes({ model, models, modelChoice: 'weighted' })).toEqual([]);
    },
  );

  it('whoever names a model has that one alone, offline stays offline, and no endpoint is assumed', () => {
    const names = ({ model, models }: RunConfig): readonly string[] => [model, ...models].map(({ name }) => name);
    expect(names(resolve({ method: 'delta', model: { baseUrl, name: 'mine' } }))).toEqual(['mine']);
    expect(names(resolve({ method: 'delta' }))).toEqual(['offline']);
    expect(() => resolve({ method: 'delta', model: { kind: 'openai' } })).toThrow(/expected the URL of an endpoint/);
    expect(() => resolve({ method: 'delta', model: { baseUrl }, models: [{ name: 'mine' }] })).toThrow(
      /a model's name is missing/,
    );
    expect(() => resolve({ method: 'theta', model: { baseUrl } })).toThrow(/a model's name is missing/);
  });

  it('stay as they are when a setting of the run changes', () => {
    const config = resolve({ method: 'delta', model: { baseUrl } });
    expect(changedConfig(config, { kind: 'set', patch: { batch: 2 } })).toEqual({ ...config, batch: 2 });
  });
});
