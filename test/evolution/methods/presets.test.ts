// Every method's settings, as presets.json holds them: with the offline model, with an endpoint, and on one island. A
// change of a default shows here, whatever file it is written in (`npm test -- -u` with this file takes it over).
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { changedKeys, valueAt } from '../../../evolution/config/layers.ts';
import { METHOD_NAMES } from '../../../evolution/config/names.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { PRESETS } from '../../../evolution/methods/presets.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

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

/** What is set in another way, by its dotted key. */
const differing = (from: unknown, to: unknown): object =>
  Object.fromEntries(
    changedKeys(from, to).map((key) => {
      const value = valueAt(to, key.split('.'));
      return [key, value === undefined ? 'left out' : value];
    }),
  );

it('presets are those of presets.json: the first one whole, of the others what differs from it', async () => {
  const methods = METHOD_NAMES.map((method) => {
    const preset = PRESETS[method];
    const offline = resolved({ method });
    const variants = {
      preset: preset === PRESETS.theta ? preset : differing(PRESETS.theta, preset),
      offline: differing(preset, offline),
      endpoint: differing(preset, resolved({ method, model: ENDPOINT })),
      island: differing(offline, resolved({ method, population: { islands: 1 } })),
    };
    return [method, variants];
  });
  await expect(`${JSON.stringify(Object.fromEntries(methods), null, 2)}\n`).toMatchFileSnapshot('presets.json');
});
