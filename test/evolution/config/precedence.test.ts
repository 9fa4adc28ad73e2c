// Which word wins: flags, file, environment, preset; and what the model is.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settingsFrom } from '../../../cli/flags/settings-flags.ts';
import {
  OFFLINE_EVALUATION,
  OFFLINE_MODEL,
  OFFLINE_POPULATION,
  OFFLINE_PROMPT,
  OFFLINE_SIZE,
} from '../../../evolution/config/offline.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'evolve-config-'));
const file = (text: string): string => {
  const path = join(folder, 'run.yaml');
  writeFileSync(path, text);
  return path;
};
const REAL = { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1/', OPENAI_API_KEY: 'secret-key', EVOLVE_MODEL: 'env-model' };

describe('precedence', () => {
  test('flags over --set over file over environment over preset', () => {
    const config = file('seed: 1\nbatch: 2\nresponses: 3\nmodel: {name: file-model}\n');
    const { config: resolved, whereabouts } = settingsFrom(
      { config, set: ['batch=4', 'responses=5'], responses: '6' },
      REAL,
    );
    expect(resolved).toMatchObject({
      seed: 1,
      batch: 4,
      responses: 6,
      model: { kind: 'openai', name: 'file-model', baseUrl: 'http://127.0.0.1:1/v1' },
    });
    expect(whereabouts('seed')).toBe(`${config}:1:1`);
    expect(whereabouts('batch')).toBe('--set batch');
    expect(whereabouts('responses')).toBe('--responses');
    expect(whereabouts('model.baseUrl')).toBe('OPENAI_BASE_URL');
    expect(whereabouts('population.cap')).toBeNull();
  });

  test('JSON is read like YAML', () => {
    expect(
      settingsFrom({ config: file('{"population": {"islands": 3}, "limits": {"steps": 2}}') }, {}).config,
    ).toMatchObject({ population: { islands: 3 }, limits: { steps: 2 } });
  });

  test('the key is in no setting', () => {
    expect(JSON.stringify(settingsFrom({}, REAL))).not.toContain('secret-key');
  });
});

describe('the model', () => {
  test('without any word on it is the offline one, in a size for minutes', () => {
    const { config } = settingsFrom({}, {});
    expect(config.model).toMatchObject({
      kind: 'offline',
      name: OFFLINE_MODEL,
      baseUrl: null,
      price: { in: 0, out: 0 },
    });
    expect(config).toMatchObject({
      batch: OFFLINE_SIZE.batch,
      responses: OFFLINE_SIZE.responses,
      limits: { steps: OFFLINE_SIZE.steps },
      population: OFFLINE_POPULATION,
      prompt: OFFLINE_PROMPT,
      evaluation: OFFLINE_EVALUATION,
    });
    expect(settingsFrom({ task: '/own/task' }, {}).config.evaluation.cpuSeconds).toBeNull();
  });

  test("with a real one, the size is the method's", () => {
    expect(settingsFrom({}, REAL).config).toMatchObject({
      batch: 32,
      responses: 16,
      population: { islands: 10 },
      model: { name: 'env-model', price: null },
    });
  });

  test('--model offline wins over the environment', () => {
    expect(settingsFrom({ model: 'offline' }, REAL).config.model).toMatchObject({
      kind: 'offline',
      baseUrl: null,
      name: OFFLINE_MODEL,
    });
  });

  test('kind: offline in a file wins over the environment and keeps its sampling', () => {
    expect(settingsFrom({ config: file('model: {kind: offline, temperature: 0.5}') }, REAL).config.model).toMatchObject(
      { kind: 'offline', baseUrl: null, temperature: 0.5 },
    );
  });

  test('a name by flag, the endpoint by environment', () => {
    expect(settingsFrom({ model: 'mine' }, { OPENAI_BASE_URL: 'http://h/v1' }).config.model).toMatchObject({
      kind: 'openai',
      name: 'mine',
      baseUrl: 'http://h/v1',
    });
  });

  test.each([
    [
      'a key alone',
      { OPENAI_API_KEY: 'k' },
      ['environment (OPENAI_API_KEY set)', 'set EVOLVE_MODEL', 'set OPENAI_BASE_URL', '--model offline'],
    ],
    ['a key and a model', { OPENAI_API_KEY: 'k', EVOLVE_MODEL: 'm' }, ['set OPENAI_BASE_URL', '--model offline']],
    ['an endpoint alone', { OPENAI_BASE_URL: 'http://h/v1' }, ['set EVOLVE_MODEL', '--model offline']],
    [
      'an endpoint that is no URL',
      { OPENAI_BASE_URL: 'h', EVOLVE_MODEL: 'm' },
      ['OPENAI_BASE_URL: model.baseUrl: expected an http(s) URL'],
    ],
  ])('%s in the environment is an error that says what is missing', (_name, env, parts) => {
    let message = '';
    try {
      settingsFrom({}, env);
    } catch (error) {
      message = (error as Error).message;
    }
    for (const part of parts) expect(message).toContain(part);
  });

  test('a file cannot send the key of another endpoint to its own', () => {
    const config = file('model: {baseUrl: "http://elsewhere/v1"}');
    expect(() => settingsFrom({ config }, REAL)).toThrow(
      /run.yaml:1:9: model.baseUrl: the endpoint http:\/\/elsewhere\/v1 is not that of OPENAI_BASE_URL/,
    );
    expect(settingsFrom({ config, baseUrl: 'http://by-hand/v1' }, REAL).config.model.baseUrl).toBe('http://by-hand/v1');
  });
});

describe('limits and sizes', () => {
  test("another limit replaces the preset's number of steps", () => {
    expect(settingsFrom({ maxPrograms: '1000' }, {}).config.limits).toMatchObject({ programs: 1000, steps: null });
    expect(settingsFrom({ maxPrograms: '1000', steps: '3' }, {}).config.limits).toMatchObject({
      programs: 1000,
      steps: 3,
    });
  });

  test("a limit on cost keeps the preset's number of steps where nothing that is asked for has a price", () => {
    const steps = (settings: object) => configFrom({ limits: { costUsd: 5 }, ...settings }).limits.steps;
    const free = { name: 'own', baseUrl: 'http://x/v1', price: { in: 0, out: 0 } };
    const paid = { name: 'big', price: { in: 0, out: 1 } };
    expect(steps({ model: free })).toBe(200);
    expect(steps({})).toBe(32);
    expect(steps({ model: { ...free, ...paid } })).toBeNull();
    expect(steps({ model: free, models: [paid] })).toBeNull();
    // Somebody whom nobody asks costs nothing.
    expect(steps({ model: free, models: [{ ...paid, roles: ['judge'] }] })).toBe(200);
    expect(
      steps({ method: 'research', model: free, models: [{ ...paid, roles: ['judge'] }], ideation: { gate: 'on' } }),
    ).toBeNull();
    expect(steps({ model: free, embedding: { model: 'e', price: 0.1 } })).toBeNull();
    expect(steps({ model: free, embedding: { model: 'e', price: 0 } })).toBe(200);
    expect(steps({ model: { name: 'gpt-4.1', baseUrl: 'http://x/v1' } })).toBeNull();
  });

  test('a small limit on programs makes the step smaller, unless its size was given', () => {
    const small = settingsFrom({ maxPrograms: '20' }, {}).config;
    expect(small.batch * small.responses).toBeLessThanOrEqual(20);
    expect(settingsFrom({ maxPrograms: '20', batch: '10' }, {}).config).toMatchObject({ batch: 10, responses: 2 });
    expect(() => settingsFrom({ maxPrograms: '20', batch: '10', responses: '10' }, {})).toThrow(
      /--max-programs: limits.programs: expected at least one step's programs/,
    );
  });
});

describe('--set', () => {
  test('takes YAML values', () => {
    expect(
      settingsFrom(
        { set: ['population.features=[score]', 'diff.strict=true', 'limits.steps=null', 'limits.tokens=1e6'] },
        {},
      ).config,
    ).toMatchObject({
      population: { features: ['score'] },
      diff: { strict: true },
      limits: { steps: null, tokens: 1_000_000 },
    });
  });
});
