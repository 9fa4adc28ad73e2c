// What forms are made of: every setting with its type and defaults, every task, and no key.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveHome } from '../../../deploy/host/home.ts';
import { defaultsOf, METHOD_TITLES, type PlaceForm, type SettingsForm } from '../../../page/api/actions/forms.ts';
import { flat } from '../../../page/api/actions/settings-values.ts';
import { form } from '../../../page/server/actions/form.ts';
import { defaultsFor } from '../../../evolution/methods/defaults.ts';

const home = mkdtempSync(join(tmpdir(), 'evolve-home-'));
const place = (env: NodeJS.ProcessEnv) => ({ home: resolveHome({ EVOLVE_HOME: home }), env });

test('every setting has a field, and every method its defaults', async () => {
  const settings = (await form('settings', place({}))) as SettingsForm;
  const { fields, methods } = settings;
  const keys = fields.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).toEqual(expect.arrayContaining(Object.keys(settings.defaults)));
  for (const { key, meaning, words } of fields) {
    expect(meaning, key).not.toBe('');
    expect(meaning, key).not.toMatch(/\]\(/);
    expect(words, key).not.toBe('');
  }
  const of = (key: string) => fields.find((field) => field.key === key);
  expect(of('seed')).toMatchObject({ type: 'whole', change: 'no', orNull: false });
  expect(of('limits.costUsd')).toMatchObject({ type: 'number', change: 'at once', orNull: true });
  expect(of('selection.kind')).toMatchObject({ type: 'choice', options: expect.arrayContaining(['puct']) });
  expect(of('model.stream')).toMatchObject({ type: 'flag' });
  expect(of('population.features')).toMatchObject({ type: 'list' });
  for (const method of methods) {
    const offline = JSON.parse(JSON.stringify(flat(defaultsFor({ method: method as 'theta' })))) as object;
    expect(defaultsOf(settings, method, 'offline')).toMatchObject(offline);
  }
  expect(Object.keys(METHOD_TITLES).sort()).toEqual([...methods].sort());
});

test('a place says what a run asks that names no model, and for which endpoints a key is known, never the key', async () => {
  writeFileSync(join(home, 'keys.json'), JSON.stringify({ 'http://a/v1': 'sk-one' }));
  const env = { OPENAI_API_KEY: 'sk-two', OPENAI_BASE_URL: 'http://b/v1', EVOLVE_MODEL: 'large' };
  const here = (await form('place', place(env))) as PlaceForm;
  expect(here).toMatchObject({
    model: { kind: 'openai', name: 'large', baseUrl: 'http://b/v1' },
    keysFor: ['http://a/v1'],
    keyInEnvironment: true,
  });
  expect(JSON.stringify(here)).not.toMatch(/sk-/);
  expect(here.tasks.find(({ id }) => id === 'circle-packing-square-26')).toMatchObject({ direction: 'maximise' });
});
