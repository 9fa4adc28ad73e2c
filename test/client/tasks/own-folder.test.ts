// A person's folder with what no task can have: one sentence with the file and the cure, before anything runs. What is
// large is not kept with a run.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { takeTask } from '../../../activities/task/kept-task.ts';
import { readTask } from '../../../activities/task/load-task.ts';
import { initTask } from '../../../client/tasks/init-task.ts';
import { lockWorld } from '../../../client/tasks/world.ts';
import { resolveHome } from '../../../deploy/host/home.ts';

const root = mkdtempSync(join(tmpdir(), 'own-'));
afterAll(() => rmSync(root, { recursive: true }));

let made = 0;
const folderOf = async (spoil: (folder: string) => void | Promise<void>): Promise<string> => {
  const folder = join(root, `own-${(made += 1)}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'evaluator.py'), '# direction: maximise\ndef evaluate(path):\n    return 1\n');
  writeFileSync(join(folder, 'initial.py'), 'def f():\n    return 1\n');
  await spoil(folder);
  await initTask([folder], {}, null);
  return folder;
};
/** As commands do it before a run and before a score. `said` sees each line. */
const ready = async (folder: string, said: (line: string) => void = () => undefined): Promise<void> => {
  await readTask(folder);
  await lockWorld({ home: resolveHome({ EVOLVE_HOME: join(root, 'home') }), env: {}, say: said }, folder, null);
};
/** A file that says to have so many bytes, without a place for them. */
const sparse = (file: string, bytes: number): void => {
  writeFileSync(file, '');
  truncateSync(file, bytes);
};
const TEBIBYTE = 2 ** 40;
const CURE = /: move what the evaluator does not read out of the folder, .* \(files: \[data\.csv\]\)$/;

describe('refused with the file and the cure', () => {
  test.each([
    [
      'a link out',
      'odd: expected this file of the task, got a file outside of',
      (at: string) => symlinkSync('/etc/passwd', at),
    ],
    [
      'a link to a folder',
      'odd: expected this file of the task, got a directory',
      (at: string) => symlinkSync('/etc', at),
    ],
    [
      'a link that leads nowhere',
      'odd: expected this file of the task, got no such file',
      (at: string) => symlinkSync('nowhere', at),
    ],
    ['a pipe', 'odd: expected this file of the task, got a pipe', (at: string) => void execFileSync('mkfifo', [at])],
    [
      'a socket',
      'odd: expected this file of the task, got a socket',
      (at: string) => new Promise<void>((done) => void createServer().listen(at, done).unref()),
    ],
    [
      'more files than a task has',
      'own-6: more than 1000 files and folders: put the evaluator, the program and what they read',
      (at: string) => {
        mkdirSync(at);
        for (let index = 0; index < 1_001; index++) writeFileSync(join(at, `${index}`), '');
      },
    ],
  ])('%s', async (_, problem, spoil) => {
    const refused = folderOf((folder) => spoil(join(folder, 'odd'))).then(ready);
    await expect(refused).rejects.toThrow(problem);
    if (made !== 6) await expect(refused).rejects.toThrow(CURE);
  });

  test('more data than the disk has room for, before they are read', async () => {
    const folder = await folderOf((own) => sparse(join(own, 'huge.bin'), 14 * TEBIBYTE));
    await expect(ready(folder)).rejects.toThrow(
      /huge\.bin: the data files have 15393162788864 bytes .*: make room there, or/,
    );
    expect(existsSync(join(folder, 'data.lock'))).toBe(false);
  });

  test('a data file that changes between its hash and its copy', async () => {
    const folder = await folderOf((own) => sparse(join(own, 'large.bin'), 5_000_000));
    const change = (line: string): void => {
      if (line.includes('copying')) appendFileSync(join(folder, 'large.bin'), 'x');
    };
    await expect(ready(folder, change)).rejects.toThrow(
      /large\.bin: expected the file with sha256 .* remove data\.lock/,
    );
    rmSync(join(folder, 'data.lock'));
    await ready(folder);
  });
});

test('a large file beside the evaluator is known by its hash, and is no part of what a run keeps', async () => {
  const folder = await folderOf((own) => sparse(join(own, 'large.bin'), 2 ** 26));
  await ready(folder);
  const { task, texts } = await takeTask(folder);
  expect(task.script?.data).toEqual(['large.bin']);
  expect(task.world?.data).toBe(readFileSync(join(folder, 'data.lock'), 'utf8'));
  expect([...texts.values()].reduce((sum, text) => sum + text.length, 0)).toBeLessThan(10_000);
});
