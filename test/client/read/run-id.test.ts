// Names of runs.
import { expect, test } from 'vitest';
import type { Store } from '../../../activities/store/store.ts';
import { checkRunId, findRun, newRunId } from '../../../client/read/run-id.ts';
import { runDocument } from '../../support/domain/run-document.ts';

const storeOf = (...ids: string[]): Store =>
  ({
    readRun: async (id: string) => (ids.includes(id) ? runDocument({ run: id }) : null),
    listRuns: async () => ids.map((run) => runDocument({ run })),
  }) as unknown as Store;

test.each(['', 'A', 'a b', 'a/b', 'ü', 'x'.repeat(61), 'latest'])('%j is no id', (id) =>
  expect(() => checkRunId(id)).toThrow(/--run/),
);
test.each(['a', '2026-11-21', 'x'.repeat(60)])('%s is an id', (id) => expect(checkRunId(id)).toBe(id));

test('a chosen id is valid and unlikely to repeat', () => {
  const ids = new Set(
    Array.from({ length: 200 }, () =>
      newRunId(
        { method: 'theta', task: 'a-task-with-a-name-that-is-so-long-that-it-has-to-be-cut-somewhere' },
        Math.random,
      ),
    ),
  );
  for (const id of ids) expect(checkRunId(id)).toBe(id);
  expect(ids.size).toBeGreaterThan(195);
});

test('latest is the newest; an unknown id gets the nearest name', async () => {
  expect((await findRun(storeOf('newest', 'older'), 'latest')).run).toBe('newest');
  await expect(findRun(storeOf('newest', 'older'), 'newst')).rejects.toThrow(
    /there is no run "newst"\. Did you mean "newest"\?/,
  );
  await expect(findRun(storeOf(), 'latest')).rejects.toThrow(/there are no runs yet/);
});
