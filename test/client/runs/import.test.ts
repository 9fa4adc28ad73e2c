// Export and import as the library has them: what cannot be is refused with what to do instead, and nothing is changed.
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Store } from '../../../activities/store/store.ts';
import type { Parts } from '../../../client/connect/connection.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { importRun } from '../../../client/runs/import-run.ts';
import { RunHandle } from '../../../client/runs/run-handle.ts';
import { grow } from '../../activities/store/fixtures.ts';
import { memoryStore } from '../../doubles/memory-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'evolve-transfer-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A database, and an engine that has these workflows open. */
const partsOver = (store: Store, open: readonly string[] = []): Parts => {
  const getHandle = (id: string) => ({
    describe: async () => {
      if (open.includes(id)) return { status: { name: 'RUNNING' } };
      throw Object.assign(new Error('not found'), { name: 'WorkflowNotFoundError' });
    },
  });
  return {
    place: {},
    store: async () => store,
    engine: async () => ({ client: { workflow: { getHandle } } }),
  } as unknown as Parts;
};
const refused = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'taken',
    (error: unknown) => {
      expect(error).toBeInstanceOf(UsageError);
      return (error as Error).message;
    },
  );

test('a run is exported into a new folder, and imported where neither database nor engine has it', async () => {
  const [here, there] = [memoryStore(), memoryStore()];
  await grow(here, 'demo', 2);
  const run = new RunHandle(partsOver(here), 'demo');
  const to = join(folder, 'demo');
  expect(await run.export(to)).toMatchObject({ run: 'demo', committedStep: 2 });
  expect(await refused(run.export(to))).toMatch(/--to: expected a new or empty directory, got .*, which is not empty/);

  expect(await refused(importRun(partsOver(there, ['run/demo']), to))).toMatch(
    /workflow run\/demo is open.*`temporal workflow terminate --workflow-id run\/demo`/,
  );
  expect(await there.listRuns()).toEqual([]);
  expect(await importRun(partsOver(there), to)).toMatchObject({ run: 'demo', committedStep: 2, imported: ['demo'] });
  expect(await refused(importRun(partsOver(there), to))).toMatch(
    /there is a run "demo" in this database already \(stopped\)/,
  );
  expect(await new RunHandle(partsOver(there), 'demo').rebuild().then(({ steps }) => steps, String)).toBe(3);

  truncateSync(join(to, 'steps.jsonl'), 700);
  expect(await refused(importRun(partsOver(memoryStore()), to))).toMatch(
    /steps\.jsonl:\d+: .*the line is cut off or changed/,
  );
  expect(await refused(importRun(partsOver(memoryStore()), folder))).toMatch(
    /expected a folder that `npx evolve export` wrote/,
  );
});
