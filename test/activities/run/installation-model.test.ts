// The model of runs and sweeps that name none and that no command starts.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createRunActivities } from '../../../activities/run/open-run.ts';
import { createOpenSweep } from '../../../activities/sweep/open-sweep.ts';
import { loadTask } from '../../../activities/task/load-task.ts';
import { createKeyRing } from '../../../activities/llm/transport/key-ring.ts';
import { defaultModel, rememberDefaultModel } from '../../../client/connect/default-model.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import { installationModel } from '../../../deploy/stack/installation-model.ts';
import { environmentLayer } from '../../../evolution/config/sources.ts';
import { memoryStore } from '../../doubles/memory-store.ts';

const root = mkdtempSync(join(tmpdir(), 'evolve-model-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const ENV = { OPENAI_BASE_URL: 'http://a/v1/', EVOLVE_MODEL: 'm' };

describe("the installation's model", () => {
  it('is the one that `evolve up` was last given; a shell that names none changes nothing', () => {
    const home = resolveHome({ EVOLVE_HOME: root });
    const up = (env: object) => [rememberDefaultModel({ home, env: { ...env } }), defaultModel({ home }).detail];
    expect(up({})).toEqual([null, expect.stringContaining('take no language model')]);
    const taken = expect.stringContaining('take m at http://a/v1');
    expect(up({ ...ENV, OPENAI_API_KEY: 'secret' })).toEqual([null, taken]);
    expect(up({ OPENAI_API_KEY: 'other', OPENAI_BASE_URL: '' })).toEqual([null, taken]);
    expect(up({ EVOLVE_MODEL: 'n' })).toEqual([expect.stringContaining('set OPENAI_BASE_URL'), taken]);
    expect(up({ ...ENV, OPENAI_BASE_URL: 'http://u:secret@h/v1' })).toEqual([
      expect.not.stringContaining('secret'),
      taken,
    ]);
    expect(readFileSync(join(root, 'model.json'), 'utf8')).not.toContain('secret');
    expect(createKeyRing({ home: root }).keyOf('http://a/v1')).toBe('secret');
    expect(installationModel(root, { EVOLVE_MODEL: 'of-the-worker' })).toEqual({ EVOLVE_MODEL: 'of-the-worker' });
    expect(up({ EVOLVE_MODEL: 'offline' })).toEqual([null, expect.stringContaining('take no language model')]);
  });
});

const workers = (env: { readonly [name: string]: string } = ENV, store = memoryStore()) => {
  const deps = { store, loadTask, installationModel: () => environmentLayer(env) };
  return { store, ...createRunActivities(deps), ...createOpenSweep(deps) };
};

describe('a run that is started in the Temporal UI', () => {
  it.each([
    ['without a model takes it', {}, { kind: 'openai', name: 'm', baseUrl: 'http://a/v1' }],
    ['with the offline model has none', { model: { name: 'offline' } }, { kind: 'offline', name: 'offline' }],
    ['with another name asks the same endpoint', { model: { name: 'n' } }, { name: 'n', baseUrl: 'http://a/v1' }],
  ])('%s', async (_, config, model) => {
    const { store, openRun } = workers();
    await openRun({ run: 'r', owner: 'o', start: 'o', config });
    expect((await store.readRun('r'))!.config.model).toMatchObject(model);
  });

  it('that exists goes on with its own model, whatever the installation has', async () => {
    const { store, openRun } = workers({});
    await openRun({ run: 'r', owner: 'o', start: 'o', config: { seed: 4 } });
    await workers(ENV, store).openRun({ run: 'r', owner: 'p', start: 'p', config: { seed: 4 } });
    expect((await store.readRun('r'))!.config.model.kind).toBe('offline');
  });
});

describe('a sweep that names no model', () => {
  const spec = { name: 's', base: { limits: { steps: 1 } }, seeds: [1] };
  const modelsIn = async (store: ReturnType<typeof memoryStore>) =>
    (await store.listRuns()).map(({ config }) => config.model.name);

  it('takes it, and keeps it when it is started again under another one', async () => {
    const { store, openSweep } = workers();
    await openSweep({ spec, startedAtMs: 0 });
    await store.setSweep('s', { status: 'finished' });
    await workers({ ...ENV, EVOLVE_MODEL: 'newer' }, store).openSweep({ spec, startedAtMs: 0 });
    expect(await modelsIn(store)).toEqual(['m']);
  });

  it('stays offline where a command was given no model', async () => {
    const { store, openSweep } = workers();
    await openSweep({ spec: { ...spec, base: { ...spec.base, model: { kind: 'offline' } } }, startedAtMs: 0 });
    expect(await modelsIn(store)).toEqual(['offline']);
  });
});
