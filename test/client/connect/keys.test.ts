// API keys: one file, readable by its owner only, by endpoint.
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createKeyRing } from '../../../activities/llm/transport/key-ring.ts';
import { keyFor, refreshKey, rememberKey } from '../../../client/connect/keys.ts';

const root = (): string => mkdtempSync(join(tmpdir(), 'evolve-keys-'));
const MODEL = { kind: 'openai', baseUrl: 'http://a/v1' };
const OTHER = { kind: 'openai', baseUrl: 'http://b/v1' };
const OFFLINE = { kind: 'offline', baseUrl: null };
const knownKey = (home: string, baseUrl: string): string | null => keyFor(home, baseUrl, [], {});

test('a remembered key is what the worker reads; the file has mode 0600', () => {
  const home = root();
  rememberKey(home, 'http://a/v1', 'first');
  rememberKey(home, 'http://b/v1', 'second');
  rememberKey(home, 'http://a/v1', 'third');
  expect(createKeyRing({ home }).keyOf('http://a/v1')).toBe('third');
  expect(knownKey(home, 'http://b/v1')).toBe('second');
  expect(statSync(join(home, 'keys.json')).mode & 0o777).toBe(0o600);
});

test('a wider mode is narrowed again', () => {
  const home = root();
  writeFileSync(join(home, 'keys.json'), '{"http://a/v1": "k"}', { mode: 0o644 });
  rememberKey(home, 'http://a/v1', 'k');
  expect(statSync(join(home, 'keys.json')).mode & 0o777).toBe(0o600);
});

test("the environment's key is taken for its own endpoint only", () => {
  const home = root();
  expect(refreshKey(home, [MODEL], {})).toBe(false);
  expect(refreshKey(home, [OFFLINE], { OPENAI_API_KEY: 'k' })).toBe(false);
  expect(refreshKey(home, [MODEL], { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://other/v1' })).toBe(false);
  expect(existsSync(join(home, 'keys.json'))).toBe(false);
  expect(refreshKey(home, [MODEL], { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://a/v1/' })).toBe(true);
  expect(knownKey(home, 'http://a/v1')).toBe('k');
});

test('a broken file is told, not overwritten', () => {
  const home = root();
  writeFileSync(join(home, 'keys.json'), '{"http');
  expect(() => rememberKey(home, 'http://a/v1', 'k')).toThrow(/keys.json: expected a JSON object/);
  expect(readFileSync(join(home, 'keys.json'), 'utf8')).toBe('{"http');
});

test("of several endpoints only the one that OPENAI_BASE_URL names, else the first model's, gets the key", () => {
  const home = root();
  expect(refreshKey(home, [MODEL, OTHER], { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://b/v1' })).toBe(true);
  expect([knownKey(home, 'http://a/v1'), knownKey(home, 'http://b/v1')]).toEqual([null, 'k']);
  const env = { OPENAI_API_KEY: 'n' };
  expect(refreshKey(home, [MODEL, OTHER], env)).toBe(true);
  expect([knownKey(home, 'http://a/v1'), knownKey(home, 'http://b/v1')]).toEqual(['n', 'k']);
  expect(keyFor(home, 'http://b/v1', [MODEL, OTHER], env)).toBe('k');
  expect(refreshKey(home, [OFFLINE, OTHER], env)).toBe(false);
});
