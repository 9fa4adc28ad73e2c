// Which settings of learning go together, what a run that learns has where nothing was set, and what cannot change in it.
import { describe, expect, it } from 'vitest';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { changedConfig } from '../../../evolution/methods/change.ts';
import { configFrom } from '../../support/domain/asked-run.ts';
import { problemsOf } from '../../support/domain/problems.ts';

const resolved = (settings: object): RunConfig => configFrom(settings);
const LEARNS = { learning: { trainer: 'reference' }, model: { trainable: true } };
const SERVED = { kind: 'openai', name: '/models/small', trainable: true };
const learning = (change: object, model: object = {}): object => ({
  ...change,
  learning: { trainer: 'reference', ...(change as { learning?: object }).learning },
  model: { ...SERVED, ...model },
});

describe('a run that learns', () => {
  it('and names no model has the byte-level model, small steps and a warm-up, whatever the method', () => {
    for (const method of ['theta', 'code', 'delta'] as const) {
      const config = resolved({ ...LEARNS, method });
      expect(config).toMatchObject({
        learning: { trainer: 'reference', base: 'bytes', on: true, lag: 0, truncatedIs: { low: 0, high: 2 } },
        model: { kind: 'openai', name: 'bytes', trainable: true, topP: 1, price: { in: 0, out: 0 } },
        population: { islandSync: 'epoch' },
      });
      expect(config.learning.warmup).not.toBeNull();
    }
  });

  it('has no warm-up where an idea comes before programs', () => {
    expect(resolved({ ...LEARNS, method: 'research', ideation: { gate: 'off' } }).learning.warmup).toBeNull();
  });

  it('keeps the model that was named, with the settings of the paper', () => {
    const config = resolved(learning({ method: 'theta' }));
    expect(config).toMatchObject({
      batch: 32,
      responses: 16,
      model: { name: '/models/small', temperature: 1, topP: 1 },
    });
    expect(config.learning).toMatchObject({
      base: null,
      advantage: 'grpo',
      clip: { low: 0.2, high: 0.28 },
      optimizer: { learningRate: 1e-6, beta2: 0.98 },
      warmup: null,
    });
  });

  it('completes what was written in part', () => {
    expect(
      resolved(learning({ learning: { lora: { rank: 8 }, warmup: { steps: 5 }, clip: { low: 0.1 } } })).learning,
    ).toMatchObject({
      lora: { rank: 8, alpha: 32 },
      warmup: { steps: 5, batch: 16 },
      clip: { low: 0.1, high: 0.28 },
    });
  });

  it('may have its policy beside other models, which do not learn', () => {
    const models = [{ kind: 'openai', name: '/models/adviser', roles: ['idea'], trainable: true }];
    const config = resolved({
      method: 'research',
      batch: 4,
      learning: { trainer: 'reference' },
      models,
      ideation: { gate: 'off' },
    });
    expect([config.model, ...config.models].map(({ trainable }) => trainable)).toEqual([false, true]);
  });
});

describe('settings that do not go together are refused, with the key', () => {
  it.each([
    ['model.trainable', { model: SERVED }, /learning\.trainer none/],
    [
      'learning.trainer',
      { learning: { trainer: 'tinker' }, model: { kind: 'openai', name: 'a', baseUrl: 'http://a' } },
      /nothing to train/,
    ],
    [
      'model.trainable',
      { learning: { trainer: 'reference' }, model: { kind: 'offline', trainable: true } },
      /no weights/,
    ],
    ['model.topP', learning({}, { topP: 0.9 }), /expected 1/],
    ['model.temperature', learning({}, { temperature: 0 }), /more than 0/],
    [
      'model.roles',
      learning({ models: [{ name: 'b', kind: 'openai', baseUrl: 'http://b' }] }, { roles: ['meta'] }),
      /at least one role/,
    ],
    ['models.0.trainable', learning({ models: [{ name: '/b', trainable: true }] }), /expected one model that learns/],
    ['responses', learning({ responses: 1 }), /at least 2/],
    ['responses', learning({ responses: 2, learning: { advantage: 'entropic' } }), /at least 3/],
    ['population.islandSync', learning({ population: { islandSync: 'migration' } }), /expected epoch/],
    ['learning.truncatedIs.high', learning({ learning: { truncatedIs: { low: 2, high: 1 } } }), /more than/],
    [
      'learning.warmup',
      learning({ method: 'research', batch: 4, ideation: { gate: 'off' }, learning: { warmup: { steps: 5 } } }),
      /after an idea/,
    ],
    ['learning.icepop', learning({ learning: { icepop: true, truncatedIs: null } }), /needs the bounds/],
    ['learning.base', learning({}, { name: 'gpt-5' }), /path of a model folder/],
    ['learning.serveUrl', learning({ learning: { serve: 'vllm' } }), /address of the vllm server/],
    [
      'limits.costUsd',
      learning({ limits: { costUsd: 1 }, learning: { trainer: 'tinker' } }, { price: { in: 1, out: 1 } }),
      /learning\.price/,
    ],
    ['model.policy', { model: { kind: 'offline', policy: 'first@3' } }, /offline model/],
    ['model.policy', { model: { policy: 'first' } }, /<run>@<version>/],
    ['learning.lag', learning({ learning: { lag: 2 } }), /0 or 1/],
    ['learning.rate', learning({ learning: { rate: 1 } }), /unknown key/],
  ])('%s: %j', (key, settings, message) => {
    const problems = problemsOf(() => resolved(settings));
    expect(problems.filter((one) => one.includes(`${key}: `) && message.test(one))).not.toEqual([]);
  });
});

describe('while a run exists', () => {
  it('learning may begin, be switched off and be set otherwise, but not be given to another trainer', () => {
    const model = { kind: 'openai', name: '/models/small', baseUrl: 'http://a' };
    const plain = resolved({ method: 'theta', schedule: 'steps', model });
    const begun = changedConfig(plain, {
      kind: 'set',
      patch: { learning: { trainer: 'reference' }, model: { trainable: true } },
    });
    expect(begun.learning.trainer).toBe('reference');
    expect(
      changedConfig(begun, { kind: 'set', patch: { learning: { on: false, optimizer: { learningRate: 0.1 } } } })
        .learning,
    ).toMatchObject({ on: false, optimizer: { learningRate: 0.1, beta1: 0.9 } });
    for (const patch of [{ trainer: 'none' }, { base: '/models/other' }, { lora: { rank: 4, alpha: 4 } }])
      expect(problemsOf(() => changedConfig(begun, { kind: 'set', patch: { learning: patch } })).join()).toMatch(
        /learning\.\w+: cannot change in a run/,
      );
  });
});
