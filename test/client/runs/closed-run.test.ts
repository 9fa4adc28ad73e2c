// Steering a run whose workflow is closed: the same changes through the store, and the workflow started again where
// that is meant.
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type {} from '../../../activities/store/documents/documents.ts';
import { changedConfig } from '../../../evolution/methods/change.ts';
import { runWith } from '../../support/engine/steered-run.ts';

describe('a closed run', () => {
  test('takes new settings, hints, models and programs through the store, and stays closed', async () => {
    const { run, store, sent } = await runWith({});
    expect(await run.set({ diff: { maxCodeChars: 20_000 } })).toEqual({
      version: 2,
      changed: ['diff.maxCodeChars'],
    });
    expect(await run.hint({ hint: 'try hexagons', island: 1 })).toEqual({ version: 3, changed: ['prompt.hints'] });
    expect(await run.addModel({ name: 'second', baseUrl: 'http://b/v1/', weight: 2 })).toEqual({
      version: 4,
      changed: ['models'],
    });
    expect(await run.removeModel('second')).toEqual({ version: 5, changed: ['models'] });
    expect((await run.inject({ program: 'x = 1' })).injected).toMatch(/^demo:inject:/);
    expect(await store.takeInjections('demo', 1)).toHaveLength(1);
    expect((await run.settings()).prompt.hints).toEqual([{ island: 1, text: 'try hexagons' }]);
    expect((await run.settings(1)).prompt.hints).toEqual([]);
    const by = { name: userInfo().username, from: 'library' };
    expect(await run.versions()).toEqual([
      { version: 1, changed: [] },
      { version: 2, changed: ['diff.maxCodeChars'], by },
      { version: 3, changed: ['prompt.hints'], by },
      { version: 4, changed: ['models'], by },
      { version: 5, changed: ['models'], by },
    ]);
    expect(sent).toEqual([]);
  });

  test('refuses what cannot be, with the key, and changes nothing', async () => {
    const { run } = await runWith({});
    await expect(run.set({ seed: 7 })).rejects.toThrow(/seed: cannot change/);
    await expect(run.removeModel('nobody')).rejects.toThrow(/no model "nobody"/);
    await expect(run.inject({ program: 'x = 1', island: 99 })).rejects.toThrow(
      /island: expected a whole number from 0/,
    );
    await expect(run.rewind({ toStep: 1 })).rejects.toThrow(/has committed no step/);
    await expect(run.fork({ step: 1 })).rejects.toThrow(/cannot fork run demo: it has committed no step yet/);
    await expect(run.settings(2)).rejects.toThrow(/version: expected 1 to 1/);
    expect((await run.document()).configVersion).toBe(1);
  });

  test('is started again by resume and extend, and not where that makes no sense', async () => {
    const finished = await runWith({ status: 'finished' });
    await expect(finished.run.resume()).rejects.toThrow(/is finished \(steps\): give it a new limit/);
    expect(await finished.run.extend({ steps: 10, add: true })).toMatchObject({ opened: true, limits: { steps: 14 } });
    expect(finished.sent).toEqual([{ kind: 'start', name: 'evolutionRun', body: { run: 'demo' } }]);
    const stopped = await runWith({ status: 'stopped' });
    expect(await stopped.run.resume()).toMatchObject({ opened: true });
    const queued = await runWith({ status: 'queued' });
    await expect(queued.run.resume()).rejects.toThrow(/waits for its turn in sweep/);
    expect(await queued.run.extend({ steps: 10 })).toMatchObject({ opened: false, limits: { steps: 10 } });
    expect(queued.sent).toEqual([]);
  });

  test('cannot be paused or retried; one that was terminated by hand can be stopped', async () => {
    const { run } = await runWith({});
    await expect(run.pause()).rejects.toThrow(/closed in the workflow engine; `npx evolve resume demo` goes on/);
    await expect(run.retry()).rejects.toThrow(/cannot retry run demo/);
    await run.stop({ reason: 'enough' });
    expect(await run.report()).toMatchObject({ state: 'stopped', stopReason: 'stopped by a person: enough' });
    await expect(run.stop()).rejects.toThrow(/cannot stop run demo: it is stopped/);
  });
});

test('a run that refuses what it is sent is not said to obey', async () => {
  const { run, store } = await runWith({ open: true, refuses: true });
  await store.setStatus('demo', 'needs attention', { reason: 'x' });
  for (const message of ['pause', 'stop', 'retry'] as const)
    await expect(run[message]()).rejects.toThrow(`run demo refused to ${message}: "reason" expected`);
});

test('an open run gets the same as messages of one object', async () => {
  const { run, store, sent } = await runWith({ open: true });
  await store.setConfig(
    'demo',
    changedConfig((await run.document()).config, { kind: 'add-model', model: { name: 'm', baseUrl: 'http://b/v1' } }),
    1,
  );
  await run.pause({ mode: 'now', reason: 'lunch' });
  await run.resume();
  await expect(run.retry({ resample: true })).rejects.toThrow(/no parked step/);
  await store.setStatus('demo', 'needs attention', { reason: 'x' });
  await run.retry({ resample: true });
  await run.stop({ mode: 'step' });
  await run.set({ batch: 4 });
  await run.hint({ hint: 'x' });
  await run.inject({ program: 'x', island: 2 });
  await run.addModel({ name: 'm', weight: 2, baseUrl: 'http://b/v1' });
  await run.removeModel('m');
  expect(sent).toEqual([
    { kind: 'signal', name: 'pause', body: { mode: 'now', reason: 'lunch' } },
    { kind: 'signal', name: 'resume', body: {} },
    { kind: 'signal', name: 'retry', body: { resample: true } },
    { kind: 'signal', name: 'stop', body: { mode: 'step' } },
    { kind: 'update', name: 'set', body: { patch: { batch: 4 } } },
    { kind: 'update', name: 'hint', body: { hint: 'x' } },
    { kind: 'update', name: 'inject', body: { program: 'x', island: 2 } },
    { kind: 'update', name: 'add-model', body: { name: 'm', weight: 2, baseUrl: 'http://b/v1' } },
    { kind: 'update', name: 'remove-model', body: { name: 'm' } },
  ]);
});

test("a new model's key is remembered for its endpoint only", async () => {
  const { run, home } = await runWith({ env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://b/v1' } });
  await run.addModel({ name: 'second', baseUrl: 'http://b/v1' });
  expect(JSON.parse(readFileSync(join(home, 'keys.json'), 'utf8'))).toEqual({ 'http://b/v1': 'k' });
});
