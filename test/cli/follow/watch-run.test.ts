// Watching: when it ends, and what it shows, with facts made up.
import { describe, expect, test } from 'vitest';
import type { Display } from '../../../cli/follow/display.ts';
import { lineDisplay, type WatchOptions, watchRun } from '../../../cli/follow/watch-run.ts';
import type { WatchState } from '../../../cli/terminal/standing.ts';
import type { Facts } from '../../../client/runs/watch-source.ts';
import { runDocument, watchState } from '../../support/domain/run-document.ts';
import { liveWord } from '../../support/live-word.ts';

const RUNNING: Facts = {
  run: runDocument(),
  live: liveWord({ status: 'running', step: 4 }),
  inStep: null,
  waitingFor: null,
  closed: null,
};
const FINISHED: Facts = { ...RUNNING, run: runDocument({ status: 'finished' }), live: null, closed: 'COMPLETED' };

const watching = async (facts: readonly Facts[], changes: Partial<WatchOptions> = {}) => {
  const seen: (WatchState | string)[] = [];
  const display: Display<WatchState> = {
    show: (state) => seen.push(state),
    waiting: (text) => seen.push(text),
    end: () => undefined,
  };
  let turn = 0;
  const source = {
    facts: async () => facts[Math.min(turn++, facts.length - 1)]!,
    ended: new AbortController().signal,
    close: async () => undefined,
  };
  const watched = await watchRun({
    source,
    ui: () => null,
    page: () => null,
    signal: new AbortController().signal,
    exitOnAttention: false,
    display,
    ...changes,
  });
  return { watched, seen };
};

// Side by side: each waits a second for the next look at a run.
describe.concurrent('watching', () => {
  test('ends with the run', async () => {
    expect((await watching([RUNNING, FINISHED])).watched).toMatchObject({ kind: 'ended', run: { status: 'finished' } });
  });
  test('goes on while a finished run is being opened again', async () => {
    const opening: Facts = { ...RUNNING, run: runDocument({ status: 'finished' }) };
    const { watched, seen } = await watching([opening, FINISHED]);
    expect(watched.kind).toBe('ended');
    expect(seen).toHaveLength(2);
  });
  test('does not count a committed step twice while the workflow still speaks of it', async () => {
    const inStep = { total: 64, responses: 64, applied: 64, toEvaluate: 50, evaluated: 50 };
    const { seen } = await watching([
      { ...RUNNING, inStep },
      { ...RUNNING, inStep, run: runDocument({ committedStep: 4 }) },
      FINISHED,
    ]);
    expect(seen.slice(0, 2).map((state) => (state as WatchState).inStep)).toEqual([inStep, null]);
  });
  test('does not add what a later step has done to a document that is older', async () => {
    const inStep = { total: 64, responses: 10, applied: 10, toEvaluate: 5, evaluated: 5 };
    const live = liveWord({ status: 'running', step: 5 });
    const { seen } = await watching([
      { ...RUNNING, live, inStep },
      { ...RUNNING, live, inStep, run: runDocument({ committedStep: 4 }) },
      FINISHED,
    ]);
    expect(seen.slice(0, 2).map((state) => (state as WatchState).inStep)).toEqual([null, inStep]);
  });
  test('waits for parts that are away', async () => {
    const { seen } = await watching([
      { run: null, live: null, inStep: null, waitingFor: 'the database', closed: null },
      FINISHED,
    ]);
    expect(seen[0]).toBe('the database');
  });
  test('stops when told to', async () => {
    expect((await watching([RUNNING], { signal: AbortSignal.abort() })).watched.kind).toBe('interrupted');
  });
  test('tells a workflow that was terminated from a run that ended', async () => {
    expect((await watching([{ ...RUNNING, live: null, closed: 'TERMINATED' }])).watched).toMatchObject({
      kind: 'lost',
      closed: 'TERMINATED',
    });
  });
  test('can end when the run needs attention', async () => {
    const parked: Facts = { ...RUNNING, live: liveWord({ status: 'needs attention', step: 4, attention: 'no key' }) };
    expect((await watching([parked], { exitOnAttention: true })).watched).toMatchObject({
      kind: 'attention',
      reason: 'no key',
    });
  });
});

test('lines are printed for what changes only', () => {
  const lines: number[] = [];
  const display = lineDisplay(
    (state) => lines.push(state.run.committedStep),
    () => undefined,
    60_000,
  );
  for (const committedStep of [1, 1, 2, 2, 3]) display.show(watchState({ run: runDocument({ committedStep }) }));
  expect(lines).toEqual([1, 2, 3]);
});
