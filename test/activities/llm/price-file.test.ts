// A newer list of prices, from a file in the form of models.dev's api.json.
import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { takePriceFile, usePriceFile } from '../../../activities/llm/price-file.ts';
import { resolveSettings } from '../../../client/runs/settings.ts';
import { PRICES } from '../../../evolution/budget/prices.ts';

const folder = mkdtempSync(join(tmpdir(), 'evolve-prices-'));
const file = join(folder, 'api.json');
const taken = (list: unknown) => {
  writeFileSync(file, typeof list === 'string' ? list : JSON.stringify(list));
  utimesSync(file, new Date('2026-12-01T10:00:00Z'), new Date('2026-12-01T10:00:00Z'));
  return takePriceFile(folder, file);
};
const cost = { input: 1, output: 4, cache_read: 0.1 };
afterEach(() => PRICES.use(null));

test('its chat models that cost something count from then on, in every process of the home', () => {
  const data = taken({
    openai: {
      name: 'OpenAI',
      models: {
        'gpt-9': { cost, modalities: { input: ['text'], output: ['text'] }, limit: { context: 1, output: 1 } },
        picture: { cost, modalities: { output: ['image'] } },
        free: { cost: { input: 0, output: 0 } },
        unknown: {},
      },
    },
    own: { api: 'https://api.own.example/v1', models: { m: { cost: { input: 2, output: 3 } } } },
    nowhere: { models: { m: { cost } } },
  });
  expect(data).toEqual({
    ...{ source: 'models.dev', asOf: '2026-12-01' },
    providers: {
      openai: { hosts: ['api.openai.com'], models: { 'gpt-9': [1, 4, 0.1] } },
      own: { hosts: ['api.own.example'], models: { m: [2, 3] } },
    },
  });
  PRICES.use(null);
  usePriceFile(folder);
  expect(PRICES.find({ kind: 'openai', name: 'm', baseUrl: 'https://api.own.example/v1' })).toEqual({
    ...{ in: 2, out: 3 },
    listed: 'models.dev 2026-12-01: own/m',
  });
  usePriceFile(join(folder, 'another-home'));
  expect(PRICES.newest.asOf).toBe('2026-07-02');
});

test.each([
  ['no JSON', '{', "expected models.dev's api.json: Expected property name"],
  ['a list', [], 'expected providers with their models, got an empty list.'],
  ['no models', { openai: { models: 3 } }, 'openai.models: expected a mapping, got 3.'],
  [
    'a cost that is none',
    { openai: { models: { 'gpt-9': { cost: { input: 'x', output: 1 } } } } },
    'openai.models.gpt-9.cost.input: expected US dollars per million tokens, got "x".',
  ],
  ['nothing that costs', {}, "expected models.dev's api.json, got no model with a cost"],
])('%s is refused, and nothing changes', (_, list, message) => {
  expect(() => taken(list)).toThrow(`${file}: ${message}`);
  expect(PRICES.newest.asOf).toBe('2026-07-02');
});

test.each(['{"source"', '[]', '{"source":"x","asOf":"y","providers":{"p":{"hosts":[],"models":{"m":"free"}}}}'])(
  'a list of the home that is broken counts as none, in one sentence: %s',
  (text) => {
    const kept = join(folder, 'models.json');
    writeFileSync(kept, text);
    expect(usePriceFile(folder)).toBe(
      `${kept}: expected a list of prices, got another text, which counts as none: write it anew with \`npx evolve models update <file>\``,
    );
    expect(PRICES.newest.asOf).toBe('2026-07-02');
    expect(resolveSettings([], { EVOLVE_HOME: folder }).notes[0]).toContain('models.json');
  },
);
