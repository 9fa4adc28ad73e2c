// Runs that only the workflow engine knows, because they are not open yet, and what doctor says where parts are away.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Engine, Parts } from '../../../client/connect/connection.ts';
import { diagnose } from '../../../client/doctor/diagnose-run.ts';
import { RunHandle } from '../../../client/runs/run-handle.ts';
import { unopenedReport, unopenedRuns } from '../../../client/temporal/unopened.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import { liveWord } from '../../support/live-word.ts';
import { runDocument } from '../../support/domain/run-document.ts';
import { memoryStore } from '../../doubles/memory-store.ts';

/** An engine with one open workflow, whose run cannot be opened. `answers: false`: no worker lives. */
const engineWith = (answers = true) => {
  const sent: string[] = [];
  const startTime = new Date('2026-11-21T10:00:00Z');
  const word = liveWord({ status: 'needs attention', step: 0, attention: 'the database is away', opening: true });
  let stopping = false;
  const getHandle = (id: string) => ({
    describe: async () => {
      if (id !== 'run/waiting') throw Object.assign(new Error('not found'), { name: 'WorkflowNotFoundError' });
      return { status: { name: 'RUNNING' }, startTime };
    },
    query: async () => {
      if (!answers) throw new Error('no worker');
      return { ...word, stopping };
    },
    signal: async (name: string) => {
      sent.push(name);
      stopping = true;
    },
  });
  async function* list() {
    for (const workflowId of ['run/waiting', 'run/demo', 'marker']) yield { workflowId, startTime };
  }
  const within = (_: unknown, work: () => unknown) => work();
  const engine = {
    client: { workflow: { getHandle, list } },
    connection: { withDeadline: within },
    close: async () => undefined,
  } as unknown as Engine;
  const place = { home: resolveHome({ EVOLVE_HOME: mkdtempSync(join(tmpdir(), 'evolve-home-')) }), env: {} };
  const parts = {
    place,
    store: async () => memoryStore(),
    engine: async () => engine,
    engineSoon: async () => engine,
  } as unknown as Parts;
  return { engine, parts, sent };
};

describe('a run that is not open yet', () => {
  test('is listed with its reason, beside the runs that have documents', async () => {
    const { engine } = engineWith();
    const [waiting, ...others] = await unopenedRuns(engine, [runDocument()]);
    expect(others).toEqual([]);
    expect(unopenedReport(waiting!, new Date('2026-11-21T10:01:00Z'), null)).toMatchObject({
      run: 'waiting',
      state: 'needs attention',
      stopReason: 'not open yet: the database is away',
      wallSeconds: 60,
    });
  });

  test('is stopped and retried by its name', async () => {
    const { parts, sent } = engineWith();
    const run = new RunHandle(parts, 'waiting');
    await run.retry();
    await run.stop();
    expect(sent).toEqual(['retry', 'stop']);
    await expect(run.document()).rejects.toThrow('run waiting is not open yet: `npx evolve status waiting` says why');
  });

  test('is found by doctor, with what to do', async () => {
    const { parts } = engineWith();
    expect(await diagnose(parts, 'waiting')).toMatchObject({
      run: 'waiting',
      findings: [{ about: 'run', ok: false, detail: 'not open yet: the database is away' }],
    });
    await expect(diagnose(parts, 'nobody')).rejects.toThrow('there are no runs yet');
    const silent = (await diagnose(engineWith(false).parts, 'waiting')).findings[0];
    expect(silent).toMatchObject({
      detail: 'not open yet: no worker answers',
      command: expect.stringContaining('npx evolve terminate waiting'),
    });
  });
});

describe('doctor of a run', () => {
  const gone = () => Promise.reject(new Error('nobody listens'));

  test('says what it can where the engine is away', async () => {
    const { parts } = engineWith();
    const store = {
      readRun: async () => runDocument(),
      owed: async () => ({ requests: 0, tokens: { in: 0, out: 0 }, costUsd: 0 }),
    };
    const { findings } = await diagnose(
      { ...parts, store: async () => store, engineSoon: gone } as unknown as Parts,
      'demo',
    );
    expect(findings).toMatchObject([
      { about: 'engine', ok: false, detail: 'could not be asked: nobody listens' },
      { about: 'run', ok: true, detail: expect.stringContaining('running, as the database last knew') },
    ]);
  });

  test('says what is away where nothing is up', async () => {
    const { parts } = engineWith();
    const { findings } = await diagnose({ ...parts, store: gone } as unknown as Parts, 'demo');
    expect(findings.map(({ about, ok }) => [about, ok])).toEqual([
      ['database', false],
      ['engine', false],
    ]);
  });

  test('takes a database that fails while it is read for what it is', async () => {
    const { parts } = engineWith();
    const store = { readRun: gone, listRuns: gone };
    const { findings } = await diagnose({ ...parts, store: async () => store } as unknown as Parts, 'waiting');
    expect(findings).toMatchObject([
      { about: 'database', ok: false },
      { about: 'workflow', ok: false, command: expect.stringContaining('npx evolve terminate waiting') },
    ]);
  });
});
