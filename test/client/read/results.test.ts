// Where the files of a run that has ended are, as its watchers and `evolve doctor` say it.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunResults } from '../../../activities/store/documents/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { filesOfEnd, resultsFindings } from '../../../client/read/results.ts';
import { resolveHome, WORKERS_RUNS } from '../../../deploy/host/home.ts';
import { runDocument } from '../../support/domain/run-document.ts';

const NOW = new Date('2026-11-21T10:02:00Z');
let root: string;
let changed: object | undefined;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'evolve-runs-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** What the worker noted, and the folder that a watcher of this machine would write to. */
const ended = (changes: Partial<RunResults> | null) =>
  runDocument({
    ...{ status: 'finished', stopReason: 'steps', endedAt: NOW, best: null },
    ...(changes === null
      ? {}
      : {
          results: {
            ...{ host: hostname(), directory: join(root, 'theirs'), files: ['summary.json'], failure: null },
            ...{ endedAt: NOW, ...changes },
          },
        }),
  });
const written = (run: ReturnType<typeof ended>, env: NodeJS.ProcessEnv = { EVOLVE_RUNS: join(root, 'ours') }) => {
  const setFields = async (_: string, fields: object) => void (changed = fields);
  const store = { readRun: async () => run, readTask: async () => null, setFields } as unknown as Store;
  return filesOfEnd({ home: resolveHome({ EVOLVE_HOME: root }), env }, store, run);
};

test('a watcher writes nothing where the worker has written, and else writes where it is called, if it can', async () => {
  mkdirSync(join(root, 'demo'));
  writeFileSync(join(root, 'demo', 'summary.json'), '{}');
  const run = ended({ directory: join(root, 'demo') });
  const theirs = { directory: join(root, 'demo'), files: ['summary.json'], notes: [] };
  expect(await written(run, { EVOLVE_RUNS: root })).toEqual(theirs);
  const here = process.cwd();
  process.chdir(root);
  try {
    // Where no folder is named, they lie where the command is called.
    expect(await written(run, {})).toMatchObject({ directory: join(realpathSync(root), 'runs', 'demo'), notes: [] });
    writeFileSync(join(root, 'file'), '');
    expect(await written(run, { EVOLVE_RUNS: join(root, 'file') })).toEqual(theirs);
  } finally {
    process.chdir(here);
  }
});

test('they are moved from where workers leave those of the clone', async () => {
  const directory = join(WORKERS_RUNS, `moved-${process.pid}`);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'summary.json'), '{}');
  expect(await written(ended({ directory }))).toMatchObject({ directory: join(root, 'ours', 'demo') });
  expect(existsSync(directory)).toBe(false);
  expect(changed).toMatchObject({ results: { directory: join(root, 'ours', 'demo'), endedAt: NOW, host: hostname() } });
});

test.each([
  ['the worker is of an earlier version', null],
  ['the files are on another machine', { host: 'elsewhere' }],
  ['they are those of an earlier end', { endedAt: new Date('2026-11-20T10:00:00Z') }],
  ['they are gone, or this process has a folder of its own', {}],
])('it writes them where %s', async (_why, changes) => {
  expect(await written(ended(changes))).toEqual({
    directory: join(root, 'ours', 'demo'),
    files: ['config.yaml', 'summary.json'],
    notes: [],
  });
  expect(existsSync(join(root, 'ours', 'demo', 'summary.json'))).toBe(true);
});

test('what could not be written is told, and is no error', async () => {
  const run = ended({ failure: 'ENOSPC: no space left on device' });
  writeFileSync(join(root, 'ours'), 'a file where the folder should be');
  const { files, notes } = await written(run);
  expect(files).toEqual([]);
  expect(notes).toEqual([
    `the files of the run could not be written on ${hostname()}: ENOSPC: no space left on device`,
    expect.stringContaining(join(root, 'ours')),
  ]);
  expect(resultsFindings(run)).toEqual([
    { about: 'results', ok: false, detail: notes[0], command: 'npx evolve files demo' },
  ]);
  expect(resultsFindings(ended({}))).toMatchObject([{ about: 'results', ok: true }]);
  expect(resultsFindings(ended(null))).toEqual([]);
});
