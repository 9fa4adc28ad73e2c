// What a run leaves in runs/<id>/, as the activity at its end writes it, with a store in memory and a folder of the
// test's own.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createResults } from '../../../activities/results/write-results.ts';
import type { RunDocument, RunResults } from '../../../activities/store/documents/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { settingsFrom } from '../../../cli/flags/settings-flags.ts';
import { runReport } from '../../../client/read/report.ts';
import { joinFiles } from '../../../evolution/files/program-files.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { runDocument } from '../../support/domain/run-document.ts';

const CODE = 'def f():\n    return 1\n';
const SOLUTION = '{"circles":[[0.25,0.25,0.25],[0.75,0.75,0.2]]}';
const PROGRAM = 'demo:000002:0:000017';
const NOW = new Date('2026-11-21T10:02:00Z');
const ended = runDocument({ status: 'finished', stopReason: 'steps', endedAt: NOW });

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'evolve-runs-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Of the store only what the activity uses. `onRead` is what another process does meanwhile. */
const world = (
  given: RunDocument = ended,
  solution: string | null = SOLUTION,
  onRead: () => void = () => undefined,
) => {
  const state = { run: given as RunDocument | null, noted: [] as RunResults[], code: CODE };
  const store = {
    readRun: async () => {
      const { run } = state;
      onRead();
      return run;
    },
    owed: async () => ({ requests: 0, tokens: { in: 0, out: 0 }, costUsd: 0 }),
    getPrograms: async () => new Map([[PROGRAM, { _id: PROGRAM, evaluation: 'ev', code: 'c', reward: 0.5 }]]),
    getEvaluations: async () => new Map([['ev', { solution: solution === null ? null : 's' }]]),
    getTexts: async () =>
      new Map([
        ['c', state.code],
        ['s', solution],
      ]),
    setFields: async (_run: string, { results }: { readonly results: RunResults }) => {
      state.noted.push(results);
    },
  } as unknown as Store;
  const loadTask = async () => ({ picture: 'circles-in-unit-square' }) as Task;
  const report = (run: RunDocument) => runReport(run, NOW, null);
  const { writeResults } = createResults({ store, loadTask, report, directory });
  return { state, write: (run = 'demo') => writeResults({ run }) };
};
const folder = () => join(directory, 'demo');
const read = (name: string) => readFileSync(join(folder(), name), 'utf8');

test('the best program, its solution, its picture, the settings and the summary', async () => {
  const { state, write } = world();
  expect(await write()).toEqual({ host: hostname(), directory: folder(), failure: null });
  expect(state.noted).toEqual([
    {
      host: hostname(),
      directory: folder(),
      files: ['best.py', 'solution.json', 'best.svg', 'config.yaml', 'summary.json'],
      failure: null,
      endedAt: NOW,
    },
  ]);
  expect(readdirSync(folder()).toSorted()).toEqual([...state.noted[0]!.files].toSorted());
  expect(read('best.py')).toBe(CODE);
  expect(JSON.parse(read('solution.json'))).toEqual(JSON.parse(SOLUTION));
  expect(JSON.parse(read('summary.json'))).toMatchObject({
    ...{ run: 'demo', state: 'finished', programs: 192 },
    best: { program: PROGRAM, reward: 0.5 },
  });
  expect(read('best.svg').match(/<circle /g)).toHaveLength(2);
});

test('a program of several files is left as files with their own names, and no file of an earlier end', async () => {
  const files = (...names: string[]) => joinFiles(names.map((name) => ({ name, text: `# ${name}\n` })));
  const { state, write } = world();
  await write();
  state.code = files('main.py', 'kit/parts.py', 'kit/old.py');
  await write();
  state.code = files('main.py', 'kit/parts.py', 'kit/.git/config', 'kit/GIT~1/config');
  await write();
  expect(state.noted.at(-1)!.files.slice(0, 2)).toEqual(['best/main.py', 'best/kit/parts.py']);
  expect(read('best/kit/parts.py')).toBe('# kit/parts.py\n');
  expect(readdirSync(join(folder(), 'best/kit'))).toEqual(['parts.py']);
  expect(existsSync(join(folder(), 'best.py')) || existsSync(join(folder(), 'best/kit/old.py'))).toBe(false);
});

test('config.yaml starts the same run again', async () => {
  await world().write();
  expect(settingsFrom({ config: join(folder(), 'config.yaml') }, {}).config).toEqual(ended.config);
});

test('a run without a best program leaves no stale one, and what is no run leaves nothing', async () => {
  const { state, write } = world();
  await write();
  state.run = { ...ended, best: null };
  await write();
  expect(state.noted[1]!.files).toEqual(['config.yaml', 'summary.json']);
  expect(existsSync(join(folder(), 'best.py'))).toBe(false);
  state.run = null;
  expect(await write('other')).toBeNull();
  await expect(write('../elsewhere')).rejects.toThrow('expected 1 to 60 of the characters');
  expect(readdirSync(directory)).toEqual(['demo']);
});

test('a state that changes while it is written is written again; two who write at once disturb nobody', async () => {
  const { state, write } = world(ended, SOLUTION, () => {
    state.run = { ...ended, committedStep: 9 };
  });
  await Promise.all([write(), write()]);
  expect(JSON.parse(read('summary.json'))).toMatchObject({ steps: 9 });
  expect(readdirSync(folder())).toHaveLength(5);
});

test('a folder that cannot be written is told, and is no error', async () => {
  writeFileSync(folder(), 'a file where the folder should be');
  const { state, write } = world();
  expect(await write()).toMatchObject({ failure: expect.stringContaining('EEXIST') });
  expect(state.noted).toMatchObject([{ failure: expect.stringContaining(folder()), endedAt: NOW }]);
});
