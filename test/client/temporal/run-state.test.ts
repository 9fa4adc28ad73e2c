// What state a run is in: its document's, or the word of its workflow where that is open.
import { describe, expect, test } from 'vitest';
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import type { Engine, Parts } from '../../../client/connect/connection.ts';
import { runReport } from '../../../client/read/report.ts';
import { asTheyStand, CLOSED, standing, type WorkflowWord } from '../../../client/temporal/run-state.ts';
import { createSource } from '../../../client/runs/watch-source.ts';
import type { RunStatus } from '../../../evolution/run-states.ts';
import { liveWord } from '../../support/live-word.ts';
import { runDocument } from '../../support/domain/run-document.ts';

const FINISHED = runDocument({ status: 'finished', stopReason: 'steps', endedAt: new Date() });
const open = (changes: Partial<WorkflowWord> = {}): WorkflowWord => ({
  open: true,
  status: 'running',
  attention: false,
  reason: null,
  ...changes,
});
const PARKED = open({
  status: 'needs attention',
  attention: true,
  reason: 'openRun: TaskChanged: the evaluator has changed',
});
const stateOf = (run: RunDocument, word: WorkflowWord | null) => {
  const { state, stopReason } = runReport(standing(run, word), new Date(), null);
  return [state, stopReason];
};

describe('the word of an open workflow wins', () => {
  test('over a document that says how the run ended before', () => {
    expect(stateOf(FINISHED, PARKED)).toEqual(['needs attention', PARKED.reason]);
    expect(stateOf(FINISHED, open())).toEqual(['running', null]);
    expect(stateOf(FINISHED, open({ status: null }))).toEqual(['opening', null]);
    expect(stateOf(FINISHED, open({ status: 'stopping', attention: true }))).toEqual(['stopping', null]);
    expect(stateOf(FINISHED, open({ attention: true }))).toEqual(['needs attention', 'the Temporal UI shows why']);
    expect(stateOf(runDocument({ status: 'paused', statusReason: 'lunch' }), open({ status: 'pausing' }))).toEqual([
      'pausing',
      'lunch',
    ]);
  });
  test('over one that was written before a pause or a retry', () => {
    expect(stateOf(runDocument(), open({ status: 'paused' }))).toEqual(['paused', null]);
    expect(stateOf(runDocument({ status: 'needs attention', statusReason: 'no key' }), open())).toEqual([
      'running',
      null,
    ]);
    expect(
      stateOf(runDocument({ status: 'needs attention', statusReason: 'no key' }), open({ attention: true })),
    ).toEqual(['needs attention', 'no key']);
    expect(stateOf(runDocument({ status: 'queued', sweep: 's' }), open())).toEqual(['running', null]);
  });
  test('a closed one, or one that nobody could ask, leaves the document its word', () => {
    for (const word of [CLOSED, null]) expect(standing(FINISHED, word)).toBe(FINISHED);
  });
});

type Known = {
  readonly state?: string;
  readonly status?: string;
  readonly attention?: boolean;
  readonly reason?: string;
};

/**
 * An engine that knows these workflows, and counts what it is asked. `listed`: what its list says, which may be a
 * moment old.
 */
const engineWith = (
  workflows: Readonly<Record<string, Known>>,
  listed: Readonly<Record<string, Known>> = workflows,
) => {
  const asked: string[] = [];
  const end = Promise.withResolvers<void>();
  const execution = (workflowId: string, { state = 'RUNNING', status = 'running', attention = false }: Known) => ({
    workflowId,
    status: { name: state },
    typedSearchAttributes: {
      getAll: () => [
        { key: { name: 'EvoStatus' }, value: status },
        { key: { name: 'EvoNeedsAttention' }, value: attention },
      ],
    },
  });
  const getHandle = (id: string) => ({
    describe: async () => {
      asked.push(`describe ${id}`);
      if (workflows[id] === undefined) throw Object.assign(new Error('not found'), { name: 'WorkflowNotFoundError' });
      return execution(id, workflows[id]);
    },
    result: () => end.promise,
    query: async (name: string) => {
      asked.push(`${name} ${id}`);
      const { status = 'running', reason = null } = workflows[id] ?? {};
      return liveWord({ status: status as RunStatus, step: 4, attention: reason });
    },
  });
  async function* list() {
    asked.push('list');
    for (const [id, known] of Object.entries(listed)) yield execution(id, known);
  }
  const within = (_: unknown, work: () => unknown) => work();
  const engine = {
    client: { workflow: { getHandle, list } },
    connection: { withDeadline: within, withAbortSignal: within },
    close: async () => undefined,
  };
  return {
    asked,
    end: end.resolve,
    parts: { engineSoon: async () => engine } as unknown as Parts,
    engine: engine as unknown as Engine,
  };
};

describe('states of many runs', () => {
  const documents = ['a', 'b', 'c'].map((run) => runDocument({ run }));
  const running = { 'run/a': {}, 'run/b': {}, 'run/c': {} };

  test('cost one question, however many runs there are, where the engine and the documents agree', async () => {
    const { asked, parts } = engineWith(running);
    expect(await asTheyStand(parts, documents)).toEqual(documents);
    expect(asked).toEqual(['list']);
  });
  test('where they do not, that workflow itself is asked, and says why it needs attention', async () => {
    const { asked, parts } = engineWith({
      ...running,
      'run/b': { status: 'needs attention', attention: true, reason: 'TaskChanged' },
    });
    const stand = await asTheyStand(parts, [documents[0]!, { ...FINISHED, run: 'b' }, documents[2]!]);
    expect(stand.map(({ status, statusReason }) => [status, statusReason])).toEqual([
      ['running', null],
      ['needs attention', 'TaskChanged'],
      ['running', null],
    ]);
    expect(asked).toEqual(['list', 'describe run/b', 'status run/b']);
  });
  test('a list that is a moment old does not open a run that has just ended', async () => {
    const { parts } = engineWith({ 'run/demo': { state: 'COMPLETED', status: 'finished' } }, { 'run/demo': {} });
    expect(await asTheyStand(parts, [FINISHED, documents[0]!])).toEqual([FINISHED, documents[0]]);
  });
  test('are those of the documents where the engine is away, and that is said', async () => {
    const told: string[] = [];
    expect(
      await asTheyStand({ engineSoon: () => Promise.reject(new Error('no server')) }, documents, (text) =>
        told.push(text),
      ),
    ).toEqual(documents);
    expect(told).toEqual(['states are those of the database, for the workflow engine could not be asked: no server']);
  });
});

test('watching a run that is parked while it is opened again shows what it needs, not how it ended before', async () => {
  const { engine } = engineWith({ 'run/demo': { status: 'needs attention', attention: true, reason: 'TaskChanged' } });
  const owed = async () => ({ requests: 0, tokens: { in: 0, out: 0 }, costUsd: 0 });
  const store = { readRun: async () => FINISHED, owed, close: async () => undefined };
  const source = createSource('demo', { store: async () => store, engine: async () => engine });
  await source.facts();
  await expect
    .poll(async () => (await source.facts()).run)
    .toMatchObject({ status: 'needs attention', statusReason: 'TaskChanged' });
  await source.close();
});

test('watching hears of the end from the engine: the facts say it by then', async () => {
  const workflows: Record<string, Known> = { 'run/demo': { status: 'running' } };
  const { engine, end } = engineWith(workflows);
  const owed = async () => ({ requests: 0, tokens: { in: 0, out: 0 }, costUsd: 0 });
  const store = { readRun: async () => FINISHED, owed, close: async () => undefined };
  const source = createSource('demo', { store: async () => store, engine: async () => engine });
  await expect.poll(async () => (await source.facts()).live).not.toBeNull();
  expect([source.ended.aborted, (await source.facts()).closed]).toEqual([false, null]);
  workflows['run/demo'] = { state: 'COMPLETED' };
  end();
  await new Promise((resolve) => source.ended.addEventListener('abort', resolve));
  expect((await source.facts()).closed).toBe('COMPLETED');
  await source.close();
});
