// Runs in trackers: each point once whatever dies, rewinds, trackers that are away or refuse, and one sentence on what is
// wrong. real.test.ts has the trackers themselves.
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import protobuf from 'protobufjs/minimal.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adviceFor } from '../../../client/read/advice.ts';
import { runReport } from '../../../client/read/report.ts';
import { withTrackers } from '../../../activities/store/upkeep/tracking.ts';
import { trackersState } from '../../../client/doctor/trackers.ts';
import { readTrackers } from '../../../deploy/servers/trackers.ts';
import { MlflowServer, refusal } from '../../doubles/mlflow-server.ts';
import { config } from '../../activities/store/fixtures.ts';
import { dying, TrackedRun } from '../../support/domain/tracked-run.ts';

let folder = '';
let server: MlflowServer;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'evolve-tracking-'));
  server = await MlflowServer.start();
});
afterEach(() => {
  server.stop();
  rmSync(folder, { recursive: true, force: true });
});
const upTo = (last: number): number[] => Array.from({ length: last + 1 }, (_, step) => step);

describe('MLflow', () => {
  it('has each point once, though workers die and several look, and the end with the files', async () => {
    const run = await TrackedRun.of('demo', 50);
    const named = { mlflow: server.url };
    await run.worker(named, {}, dying).look();
    run.later();
    await run.worker(named, {}, dying).look();
    run.later();
    const workers = [run.worker(named), run.worker(named)];
    await Promise.all(workers.map((one) => one.look()));
    await run.grow(51, 560);
    await Promise.all(workers.map((one) => one.look()));
    for (const metric of ['best', 'programs', 'outcomes/no_diff', 'cost_usd'])
      expect(server.steps('demo', metric)).toEqual(upTo(560));
    expect(server.runs[0]!.metrics.filter(({ step }) => step === 3).map(({ key, value }) => [key, value])).toEqual([
      ['best', 4],
      ['valid_rate', 0.5],
      ['cost_usd', 1],
      ['tokens_in', 1_200],
      ['tokens_out', 240],
      ['seconds', expect.any(Number)],
      ['outcomes/valid', 12],
      ['outcomes/no_diff', 3],
      ['programs', 24],
    ]);
    expect(server.runs[0]!.params.get('limits.steps')).toBe('10');
    await run.end();
    await workers[0]!.look();
    expect(server.runs.map(({ name, status }) => [name, status])).toEqual([['demo', 'FINISHED']]);
    expect([...server.files.keys()]).toEqual(
      ['best.py', 'config.yaml', 'summary.json'].map((name) => `0/0/artifacts/${name}`),
    );
    expect(server.files.get('0/0/artifacts/best.py')).toContain('return "ü"');
  });

  it('has each point, setting and file once, whichever request is the last of a worker', async () => {
    const named = { mlflow: server.url };
    let died = true;
    for (let answers = 0; died; answers += 1) {
      const id = `last${answers}`;
      const run = await TrackedRun.of(id, 50);
      await run.end();
      server.answers = answers;
      await run.worker(named).look();
      died = (await run.error()) !== null;
      server.answers = Infinity;
      run.later();
      await run.store.setConfig(id, { ...config(), seed: 5 }, 1);
      await run.worker(named).look();
      expect(await run.error()).toBeNull();
      for (const metric of ['best', 'programs']) expect(server.steps(id, metric)).toEqual(upTo(50));
      const at = server.runs.findIndex(({ name }) => name === id);
      expect(server.runs.filter(({ name }) => name === id)).toMatchObject([{ status: 'FINISHED' }]);
      expect(server.runs[at]!.params.get('limits.steps')).toBe('10');
      expect([...server.files.keys()].filter((file) => file.startsWith(`0/${at}/`))).toHaveLength(3);
      if (!died) expect(answers).toBeGreaterThan(7);
    }
  });

  it.each([
    ['finished', 'FINISHED', 'steps'],
    ['stopped', 'KILLED', 'stopped by a person'],
    ['terminated', 'KILLED', 'terminated by a person'],
  ] as const)('has a run that is %s as %s, with the reason, until it goes on', async (state, status, reason) => {
    const run = await TrackedRun.of('demo', 1);
    const worker = run.worker({ mlflow: server.url });
    await run.end(state, reason);
    await worker.look();
    const told = () => [server.runs[0]!.status, Object.fromEntries(server.runs[0]!.tags)];
    expect(told()).toEqual([status, { 'evolve.state': state, 'evolve.reason': reason }]);
    await run.store.setStatus('demo', 'running', { stopReason: null, endedAt: null });
    await worker.look();
    expect(told()).toEqual(['RUNNING', { 'evolve.state': 'running', 'evolve.reason': '' }]);
  });

  it('gets no key that an address of the settings holds', async () => {
    const { model, ...rest } = config();
    const baseUrl = 'https://me:hunter2@gateway.example/v1?api_key=hunter2';
    const run = await TrackedRun.of('demo', 1, { ...rest, model: { ...model, baseUrl } });
    await run.worker({ mlflow: server.url }).look();
    expect(server.runs[0]!.params.get('model.baseUrl')).toContain('gateway.example');
    expect(server.files.get('0/0/artifacts/config.yaml')).toContain('gateway.example');
    expect(JSON.stringify([[...server.runs[0]!.params], [...server.files]])).not.toContain('hunter2');
  });

  it('has another run after a rewind of steps that it had, and the same one after a rewind of others', async () => {
    const run = await TrackedRun.of('demo', 8);
    const worker = run.worker({ mlflow: server.url });
    await worker.look();
    await run.grow(9, 12);
    await run.grow(9, 10, 'other');
    await worker.look();
    expect(server.steps('demo', 'best')).toEqual(upTo(10));
    await run.grow(4, 11, 'third');
    await worker.look();
    expect(server.steps('demo_2', 'best')).toEqual(upTo(11));
    expect(server.steps('demo', 'best')).toEqual(upTo(10));
  });

  it('catches up once it is there again', async () => {
    const run = await TrackedRun.of('demo', 3);
    const worker = run.worker({ mlflow: server.url }, { MLFLOW_TRACKING_TOKEN: 'sk-secret' });
    const said = async (status: number, body: string): Promise<string | null> => {
      server.failing = () => ({ status, body });
      await worker.look();
      run.later();
      return run.error();
    };
    expect(await said(404, '<html>')).toBe(
      `expected an MLflow server at ${server.url}, which answered mlflow/experiments/get-by-name?experiment_name=circle-packing-square-26 with 404`,
    );
    expect(await said(401, 'sk-secret')).toMatch(
      /refused .* with 401: expected MLFLOW_TRACKING_TOKEN, or .*, that it accepts/,
    );
    expect(await said(503, JSON.stringify({ error_code: 'TEMPORARILY_UNAVAILABLE', message: 'sk-secret' }))).toMatch(
      /with 503 TEMPORARILY_UNAVAILABLE: \[key removed\]$/,
    );
    server.failing = (path, body) =>
      path === 'mlflow/runs/log-batch' && body.includes('"metrics"')
        ? refusal(400, 'INVALID_PARAMETER_VALUE', 'no')
        : null;
    await worker.look();
    expect(await run.error()).toMatch(/refused mlflow\/runs\/log-batch with 400 INVALID_PARAMETER_VALUE: no$/);
    server.failing = null;
    run.later();
    await worker.look();
    expect(await run.error()).toBeNull();
    expect(server.steps('demo', 'best')).toEqual(upTo(3));
    expect([...server.authorizations]).toEqual(['Bearer sk-secret']);
    const { url } = server;
    server.stop();
    await run.grow(4, 4);
    await worker.look();
    expect(await run.error()).toBe(`no answer from ${url} (ECONNREFUSED)`);
  });
});

/** The steps of the records of an event file, one after the other. */
const stepsIn = (file: string): readonly number[] => {
  const bytes = readFileSync(file);
  const steps = [];
  for (let at = 0; at < bytes.length;) {
    const length = Number(bytes.readBigUInt64LE(at));
    const reader = protobuf.Reader.create(bytes.subarray(at + 12, at + 12 + length));
    reader.skip(9).uint32();
    steps.push(Number(reader.int64()));
    at += length + 16;
  }
  return steps;
};

describe('TensorBoard', () => {
  it('has each point once, though a worker dies and leaves half a record', async () => {
    const run = await TrackedRun.of('demo', 2);
    const named = { tensorboard: folder };
    await run.worker(named).look();
    const [name] = readdirSync(join(folder, 'demo'));
    const file = join(folder, 'demo', name!);
    await run.grow(3, 5);
    await run.worker(named, {}, dying).look();
    appendFileSync(file, Buffer.alloc(7, 1));
    run.later();
    await run.worker(named).look();
    // The first record says what the file is. The best programs come after the points of a batch.
    expect(stepsIn(file)).toEqual([0, ...upTo(2), 2, 3, 4, 5, 5]);
    const size = statSync(file).size;
    rmSync(file);
    await run.grow(6, 6);
    await run.worker(named).look();
    expect(stepsIn(file)).toEqual([0, ...upTo(6), 6]);
    expect(statSync(file).size).toBeGreaterThan(size / 2);
  });

  it('a folder that cannot be written is named', async () => {
    const run = await TrackedRun.of('demo', 1);
    writeFileSync(join(folder, 'file'), '');
    await run.worker({ tensorboard: join(folder, 'file') }).look();
    expect(await run.error()).toMatch(/ENOTDIR.*file\/demo/);
  });
});

describe('Weights & Biases', () => {
  it('is written where its package is, else there is a line that installs it', async () => {
    const run = await TrackedRun.of('demo', 1);
    const python = join(folder, 'python3');
    const worker = run.worker({ wandb: folder, python });
    await worker.look();
    expect(await run.store.listTracking()).toEqual([]);
    await run.end();
    await worker.look();
    expect(await run.error()).toMatch(
      /^expected a Python with the package wandb as python in trackers.json \(.*ENOENT/,
    );
    writeFileSync(python, '#!/bin/sh\nexec python3 -S -I "$@"\n', { mode: 0o755 });
    run.later();
    await worker.look();
    expect(await run.error()).toMatch(
      /^expected the package wandb for (\S+), got none: run \1 -m pip install wandb, or name another Python as python in/,
    );
    expect(readdirSync(folder).filter((name) => name.startsWith('.evolve-'))).toEqual([]);
  });
});

describe('trackers.json', () => {
  it('is refused with one sentence that names what is wrong', () => {
    const refusalOf = (given: unknown): string => {
      writeFileSync(join(folder, 'trackers.json'), typeof given === 'string' ? given : JSON.stringify(given));
      try {
        return JSON.stringify(readTrackers(folder, {}));
      } catch (error) {
        return (error as Error).message.replace(`${folder}/trackers.json: `, '');
      }
    };
    expect(readTrackers(folder, {})).toEqual({});
    expect(refusalOf({ mlflow: 'http://127.0.0.1:5000' })).toBe('{"mlflow":"http://127.0.0.1:5000"}');
    expect(refusalOf('{')).toBe('expected JSON, got a text that is none');
    expect(refusalOf([])).toBe('expected a mapping with some of mlflow, tensorboard, wandb, python, got []');
    expect(refusalOf({ mlfow: 'x' })).toBe('expected the keys mlflow, tensorboard, wandb, python, got "mlfow"');
    for (const mlflow of [
      '127.0.0.1:5000',
      'http://me:sk-secret@host',
      'http://host?access_token=x',
      'http://host/#x',
      5,
    ])
      expect(refusalOf({ mlflow })).toBe(
        'mlflow: expected an address that begins with http:// or https://, without user, password, query and fragment, got "(not shown)"',
      );
    expect(refusalOf('"http://me:sk-secret@host?access_token=sk-secret"')).not.toContain('sk-secret');
    expect(refusalOf({ wandb: 'wb' })).toBe('wandb: expected the absolute path of a folder, got "wb"');
    const named = (file: string) => readTrackers(join(folder, 'home'), { EVOLVE_TRACKERS_FILE: file });
    expect(() => named(join(folder, 'none'))).toThrow(
      'none: expected a file of at most 65536 bytes that names trackers',
    );
    expect(() => named('x')).toThrow('EVOLVE_TRACKERS_FILE: expected the absolute path of a file, got "x"');
    writeFileSync(join(folder, 'trackers.json'), JSON.stringify({ wandb: folder }));
    expect(named(join(folder, 'trackers.json'))).toEqual({ wandb: folder });
  });

  it('a run that a tracker lacks says why, in its status and its JSON, as long as a worker tries', async () => {
    const run = await TrackedRun.of('demo', 3);
    const worker = run.worker({ mlflow: server.url });
    /** Of the run, and of one that was never tried because the tracker was away. */
    const said = async (): Promise<readonly string[]> => {
      const stored = (await run.store.readRun('demo'))!;
      const both = await withTrackers(run.store, [stored, { ...stored, run: 'other' }], run.nowMs);
      expect(both.map((one) => runReport(one, new Date(), null).trackers.length)).toEqual(
        both.map(({ trackers = [] }) => trackers.length),
      );
      const advice = await Promise.all(both.map((one) => adviceFor(run.store, one, new Date(run.nowMs))));
      return advice.flat().flatMap(({ about, what }) => (about === 'tracker mlflow' ? [what] : []));
    };
    await worker.look();
    await run.grow(4, 5);
    expect(await said()).toEqual([]);
    server.failing = (path) =>
      path === 'mlflow/experiments/create' || path.includes('get-by-name')
        ? refusal(400, 'INVALID_PARAMETER_VALUE', "Invalid value for parameter 'experiment_name'")
        : null;
    await worker.look();
    const why =
      /: http:\S+ refused mlflow\/experiments\/\S+ with 400 INVALID_PARAMETER_VALUE: Invalid value for parameter 'experiment_name'; it is tried again, and no run waits for it$/;
    expect(await said()).toEqual([expect.stringMatching(why), expect.stringMatching(why)]);
    expect((await said()).map((text) => text.split(':')[0])).toEqual([
      'mlflow has steps up to 3 of 5',
      'mlflow has no step of 5',
    ]);
    run.later(3_600_000);
    expect(await said()).toEqual([]);
    server.failing = null;
    await worker.look();
    expect(await said()).toEqual([]);
  });

  it('doctor says what each tracker has, and why one fails', async () => {
    const run = await TrackedRun.of('demo', 1);
    const listed = () => run.store.listTracking();
    expect(await trackersState(folder, {}, listed)).toEqual([]);
    writeFileSync(join(folder, 'trackers.json'), JSON.stringify({ mlflow: server.url }));
    await run.worker(readTrackers(folder, {})).look();
    expect(await trackersState(folder, {}, listed)).toMatchObject([
      { ok: true, detail: `mlflow (${server.url}) has steps of 1 runs` },
    ]);
    server.stop();
    await run.grow(2, 2);
    await run.worker(readTrackers(folder, {})).look();
    expect(await trackersState(folder, {}, listed)).toMatchObject([
      {
        ok: false,
        detail: expect.stringMatching(/1 runs; it fails for run demo: no answer from .* \(ECONNREFUSED\)$/),
      },
    ]);
    writeFileSync(join(folder, 'trackers.json'), '[]');
    expect(await trackersState(folder, {}, listed)).toMatchObject([{ ok: false }]);
  });
});
