// List prices: for the exact name, at the provider's host; a run keeps the price that it began with.
import { afterEach, describe, expect, it } from 'vitest';
import { priceOf } from '../../../evolution/budget/money.ts';
import { type PriceData, PRICES } from '../../../evolution/budget/prices.ts';
import { changedConfig } from '../../../evolution/methods/change.ts';
import { expandSweep } from '../../../evolution/sweep/expand.ts';
import { checkSweep } from '../../../evolution/sweep/spec.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const GATEWAY = 'http://gateway.example/v1';
const find = (name: string, baseUrl: string | null = GATEWAY) => PRICES.find({ kind: 'openai', name, baseUrl });
const from = (name: string, baseUrl?: string) => find(name, baseUrl)?.listed ?? null;
const NEWER: PriceData = {
  source: 'models.dev',
  asOf: '2026-12-01',
  providers: { openai: { hosts: ['api.openai.com'], models: { 'gpt-4.1': [1, 4] } } },
};
afterEach(() => PRICES.use(null));

describe('a price of the list', () => {
  it('is that of the provider at whose host the model is asked', () => {
    expect(find('gpt-4.1', 'https://api.openai.com/v1')).toEqual({
      ...{ in: 2, out: 8, cached: 0.5 },
      listed: 'models.dev 2026-07-02: openai/gpt-4.1',
    });
    expect(from('openai/gpt-4.1', 'https://openrouter.ai/api/v1')).toMatch(/: openrouter\/openai\/gpt-4\.1$/);
    expect(from('gpt-4.1', 'https://openrouter.ai/api/v1')).toBeNull();
    expect(from('gpt-4.1', 'https://notapi.openai.com.example/v1')).toMatch(/openai\/gpt-4\.1$/);
  });

  it('is that of the maker at other hosts, and of no open model', () => {
    expect(from('claude-sonnet-4-5')).toMatch(/: anthropic\//);
    expect(from('qwen3-coder-30b')).toBe("CodeEvolve's published experiments 2026-11: codeevolve/qwen3-coder-30b");
    for (const name of ['GPT-4.1', 'toString', 'm', 'llama-3.3-70b-versatile']) expect(find(name)).toBeNull();
    expect(from('llama-3.3-70b-versatile', 'https://api.groq.com/openai/v1')).toMatch(/: groq\//);
    expect(PRICES.find({ kind: 'offline', name: 'gpt-4.1', baseUrl: null })).toBeNull();
  });

  it('comes from a newer list first', () => {
    PRICES.use(NEWER);
    expect(from('gpt-4.1')).toBe('models.dev 2026-12-01: openai/gpt-4.1');
    expect(from('o4-mini')).toBe('models.dev 2026-07-02: openai/o4-mini');
  });
});

describe('the price of a run', () => {
  const started = (model: object = {}) => configFrom({ model: { name: 'gpt-4.1', baseUrl: GATEWAY, ...model } });
  const set = (patch: object) =>
    changedConfig(started(), { kind: 'set', patch: patch as { [key: string]: never } }).model.price;

  it('is stored with it, so that a newer list changes nothing', () => {
    const config = started();
    expect(config.model.price).toMatchObject({ in: 2, listed: 'models.dev 2026-07-02: openai/gpt-4.1' });
    PRICES.use(NEWER);
    expect(configFrom({ ...config }).model.price).toEqual(config.model.price);
    expect(changedConfig(config, { kind: 'set', patch: { batch: 2 } }).model.price).toEqual(config.model.price);
  });

  it('is found anew for another model or provider, and is whole where somebody sets it', () => {
    expect(set({ model: { name: 'o4-mini' } })).toMatchObject({ in: 1.1, listed: expect.stringContaining('o4-mini') });
    expect(set({ model: { name: 'own' } })).toBeNull();
    expect(set({ model: { baseUrl: 'https://openrouter.ai/api/v1' } })).toBeNull();
    expect(set({ model: { price: { in: 1, out: 3 } } })).toEqual({ in: 1, out: 3 });
    expect(started({ price: { in: 0, out: 0 } }).model.price).toEqual({ in: 0, out: 0 });
  });

  it('is that of a further model too', () => {
    const { models } = changedConfig(started(), { kind: 'add-model', model: { name: 'o4-mini' } });
    expect(models[0]?.price).toMatchObject({ in: 1.1 });
  });

  it('counts for runs that stored none, and serves a limit on cost', () => {
    expect(priceOf({ kind: 'openai', name: 'gpt-4.1', baseUrl: GATEWAY, price: null })).toMatchObject({ in: 2 });
    expect(configFrom({ model: { name: 'o4-mini', baseUrl: GATEWAY }, limits: { costUsd: 1 } }).limits.costUsd).toBe(1);
    expect(() => configFrom({ model: { name: 'other', baseUrl: GATEWAY }, limits: { costUsd: 1 } })).toThrow(
      'a limit on cost needs model.price (of other;',
    );
  });
});

it('a price of the list is no setting that somebody gave, so that a newer list gives no run of a sweep another id', () => {
  const sweep = { name: 't', base: { model: { name: 'gpt-4.1', baseUrl: GATEWAY } }, seeds: [1, 2] };
  const ids = () => expandSweep(checkSweep(sweep), new Date('2026-11-21T15:30:00Z')).runs.map(({ run }) => run);
  const before = ids();
  PRICES.use(NEWER);
  expect(ids()).toEqual(before);
});
