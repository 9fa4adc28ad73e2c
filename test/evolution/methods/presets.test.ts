// Every method's settings, complete, as presets.json holds them: with the offline model, with an endpoint, and on one
// island. A change of a default shows here, whatever file it is written in.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { METHOD_NAMES } from '../../../evolution/config/names.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { PRESETS } from '../../../evolution/methods/presets.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const expected = JSON.parse(readFileSync(new URL('presets.json', import.meta.url), 'utf8')) as {
  readonly [method: string]: { readonly [variant: string]: unknown };
};
const resolved = (settings: object): RunConfig => configFrom(settings);
const ENDPOINT = {
  kind: 'openai',
  baseUrl: 'http://a/v1',
  name: 'a',
  roles: ['exploit', 'explore', 'meta', 'idea', 'judge'],
};

// What a reader looks up in the table of rules is there.
it('the table of rules names code and tests that exist', () => {
  const table = readFileSync(new URL('../../../docs/methods/README.md', import.meta.url), 'utf8');
  const paths = [...table.matchAll(/`((?:evolution|activities|test)\/[^`]+)`/g)].map(([, path]) => path!);
  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter((path) => !existsSync(new URL(`../../../${path}`, import.meta.url)))).toEqual([]);
});

describe('presets', () => {
  it.each(METHOD_NAMES)('%s sets what it did', (method) => {
    expect({
      preset: PRESETS[method],
      offline: resolved({ method }),
      endpoint: resolved({ method, model: ENDPOINT }),
      island: resolved({ method, population: { islands: 1 } }),
    }).toEqual(expected[method]);
  });
});
