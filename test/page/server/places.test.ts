// What an exported page says of whoever wrote it: no endpoint, machine or folder, in whatever kind of answer they stand.
// Attempts: the page and the network.
import { Hono } from 'hono';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decodeColumns, encodeColumns, withHeader } from '../../../page/api/rows/columns.ts';
import { withoutPlaces, withoutVisitors } from '../../../page/export/places.ts';
import { writePage } from '../../../page/export/write-page.ts';
import { ownFolder } from '../../support/page/in-tests.ts';

const hiding =
  (...settings: readonly unknown[]) =>
  (answer: unknown): unknown =>
    JSON.parse(withoutPlaces(settings)(JSON.stringify(answer)));
const SETTINGS = [
  { model: { baseUrl: 'http://gpu7.inner.example:8000/v1' }, task: '/home/alice/secret/my-task' },
  { patch: { models: [{ baseUrl: 'http://gpu7.inner.example:8000/v2' }, { baseUrl: 'https://far.example/v1' }] } },
];
const hide = hiding(...SETTINGS);

test('an exported page names no endpoint, machine or folder of whoever wrote it', () => {
  const answer = hide({
    settings: { baseUrl: 'http://gpu7.inner.example:8000/v1', other: 'https://far.example/v1' },
    endpoint: 'gpu7.inner.example:8000',
    of: { 'gpu7.inner.example:8000': 3 },
    error: 'http://gpu7.inner.example:8000/v2 gave no answer; see /home/alice/secret/my-task/task.yaml',
    score: 2.5,
  });
  expect(JSON.stringify(answer)).not.toMatch(/gpu7|far\.example|alice/);
  expect(answer).toMatchObject({
    settings: { baseUrl: 'http://endpoint-1.invalid', other: 'http://endpoint-2.invalid' },
    endpoint: 'endpoint-1',
    of: { 'endpoint-1': 3 },
    error: 'http://endpoint-1.invalid gave no answer; see my-task/task.yaml',
    score: 2.5,
  });
});

test('settings that name no place change nothing', () => {
  const answer = { code: 'x = 1 / 2', task: 'circle-packing-square-26' };
  expect(hiding({ task: 'circle-packing-square-26', model: { baseUrl: null } })(answer)).toEqual(answer);
});

test('a place is found as JSON writes it, and no letter of an escape is taken for its beginning', () => {
  const odd = hiding({
    task: '/home/al"ice/x\\y',
    model: { baseUrl: 'http://nas:81/v1' },
    other: { baseUrl: 'http://b:1/v1' },
  });
  expect(odd({ log: 'see /home/al"ice/x\\y/z' })).toEqual({ log: 'see x\\y/z' });
  const texts = { log: 'a\nas:81/x', drive: 'c:\\nas:81', bell: '\u001b:1', plain: 'on nas:81' };
  expect(odd(texts)).toEqual({ ...texts, drive: 'c:\\endpoint-1', plain: 'on endpoint-1' });
});

test('columns keep their values behind a header without places', () => {
  const lineage = { lineage: 'l', set: 'paid', from: 0, rows: 2, total: 2, better: null } as const;
  const names = { owners: ['demo'], outcomes: ['valid'], models: ['', '/home/alice/secret/my-task'], features: [] };
  const columns = {
    header: { ...lineage, ...names, columns: [{ name: 'cost', type: 'f32' }] },
    column: { cost: Float32Array.of(1, 2) },
  } as const;
  const { header, column } = decodeColumns(
    Uint8Array.from(withHeader(encodeColumns(columns), withoutPlaces(SETTINGS))),
  );
  expect(header.models).toEqual(['', 'my-task']);
  expect([...column['cost']!]).toEqual([1, 2]);
});

test('a page that is written has neither an endpoint in an answer nor one in a refusal', async () => {
  const app = new Hono();
  app.get('/api/v1/answer', (c) => c.json({ label: 'model.baseUrl = http://gpu7.inner.example:8000/v1' }));
  app.get('/api/v1/refused', (c) =>
    c.json({ error: { kind: 'refused', message: 'gpu7.inner.example:8000 is away' } }, 400),
  );
  const [empty, file] = [{ bytes: new Uint8Array(), type: '' }, join(ownFolder(), 'page.html')];
  const { refused } = await writePage(app, { '/page.js': empty, '/page.css': empty }, file, {
    ...{ title: 't', version: '0', exported: { run: null, at: '' }, left: null },
    ...{ wanted: [{ path: 'answer' }, { path: 'refused' }], changeAll: withoutPlaces(SETTINGS) },
  });
  const packs = [...readFileSync(file, 'utf8').matchAll(/id="pack-\d+">([^<]*)/g)].map(([, text]) =>
    gunzipSync(Buffer.from(text!, 'base64')).toString('utf8'),
  );
  expect(packs.join()).toMatch(/model\.baseUrl = http:\/\/endpoint-1\.invalid/);
  expect(packs.join()).not.toContain('gpu7');
  expect(refused).toEqual([{ path: 'refused', message: 'endpoint-1 is away' }]);
});

test('a visitor from another machine is nobody in it, and a user keeps the name', () => {
  const by = (name: string, from: string): string => JSON.stringify([{ by: { name, from } }]);
  expect(withoutVisitors(by('10.0.0.7', 'page'))).toBe('[{"by":{"name":null,"from":"page"}}]');
  expect(withoutVisitors(by('2001:db8:0:1', 'page'))).toContain('null');
  for (const kept of [by('mia', 'page'), by('dad', 'page'), by('10.0.0.7', 'command')])
    expect(withoutVisitors(kept)).toBe(kept);
});
