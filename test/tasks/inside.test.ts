// A task folder comes from anywhere: nothing in it makes the host read a file that is not its own, wait, or read
// without an end.
// Attempts: files, settings and the machine.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readCheats } from '../../activities/check/cheats.ts';
import { programOf, readGold, readGolden, readHonest } from '../../activities/check/fixtures.ts';
import { readTask } from '../../activities/task/load-task.ts';
import { shapingOf } from '../../activities/task/shaping.ts';
import { importPeer } from '../../client/tasks/peers/import-peer.ts';
import { writeScaffold } from '../../client/tasks/task-folder.ts';

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'inside-'));
  folder = join(root, 'my-task');
  writeScaffold('solution', 'my-task', folder);
  writeFileSync(join(root, 'secret.txt'), 'the secret of the host');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const put = (name: string, text: string): void => {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), text);
};
const edit = (name: string, change: (text: string) => string): void =>
  put(name, change(readFileSync(join(folder, name), 'utf8')));
const instead = (name: string, target: string): void => {
  rmSync(join(folder, name), { recursive: true, force: true });
  mkdirSync(join(folder, name, '..'), { recursive: true });
  symlinkSync(target, join(folder, name));
};
const pipe = (name: string): void => {
  rmSync(join(folder, name), { recursive: true, force: true });
  execFileSync('mkfifo', [join(folder, name)]);
};
const outcome = (work: () => unknown): Promise<string> =>
  Promise.resolve()
    .then(work)
    .then(
      (value) => `it was read: ${JSON.stringify(value)}`,
      (error: Error) => error.message,
    );
const failure = (): Promise<string> => outcome(() => readTask(folder));
const PROMPT = /file: (\S+)/;
const promptFile = (): string => PROMPT.exec(readFileSync(join(folder, 'task.yaml'), 'utf8'))![1]!;
const nameInstead = (path: string): void =>
  edit('task.yaml', (text) => text.replace(PROMPT, () => `file: ${JSON.stringify(path)}`));

test('the scaffold loads', async () => {
  expect((await readTask(folder)).id).toBe('my-task');
});

describe('a prompt', () => {
  test.each([
    ['above the folder', '../secret.txt'],
    ['far above it', '../../../../../../etc/passwd'],
    ['by an absolute path', '/etc/passwd'],
    ['by way of a folder', 'prompts/../../secret.txt'],
    ['with NUL', 'prompts/a\0.md'],
    ['with a line end', 'prompts/a\nb.md'],
    ['of another system', '..\\secret.txt'],
    ['with an endless name', `prompts/${'x'.repeat(300)}.md`],
  ])('%s is refused with its line', async (_name, path) => {
    nameInstead(path);
    expect(await failure()).toMatch(/task\.yaml:\d+(:\d+)?: .*(prompts\.0\.file: expected the path of a file|NUL)/);
  });

  test.each([
    ['a link out of the folder', () => instead(promptFile(), join(root, 'secret.txt')), 'a file outside of'],
    ['a link to a system file', () => instead(promptFile(), '/etc/passwd'), 'a file outside of'],
    ['an endless device', () => instead(promptFile(), '/dev/zero'), 'a device, expected a regular file'],
    ['a pipe', () => pipe(promptFile()), 'a pipe, expected a regular file'],
    [
      'a folder',
      () => {
        rmSync(join(folder, promptFile()));
        mkdirSync(join(folder, promptFile()));
      },
      'a directory',
    ],
    ['of eight gigabytes', () => truncateSync(join(folder, promptFile()), 2 ** 33), 'more than'],
    ['in Latin-1', () => writeFileSync(join(folder, promptFile()), Buffer.from('gr\u00fcn', 'latin1')), 'not UTF-8'],
  ])('that is %s is refused with its path', async (_name, make, message) => {
    const name = promptFile();
    make();
    expect(await failure()).toContain(message);
    expect(await failure()).toContain(join(folder, name));
  });

  test('behind a linked folder is refused', async () => {
    mkdirSync(join(root, 'elsewhere'));
    cpSync(join(folder, 'prompts'), join(root, 'elsewhere'), { recursive: true });
    instead('prompts', join(root, 'elsewhere'));
    expect(await failure()).toContain('a file outside of');
  });

  test('may be a link inside of the folder, and the folder may be reached by one', async () => {
    const name = promptFile();
    cpSync(join(folder, name), join(folder, 'text.md'));
    instead(name, join(folder, 'text.md'));
    symlinkSync(folder, join(root, 'my-link'));
    expect((await readTask(folder)).prompts[0]!.text).not.toBe('');
    edit('task.yaml', (text) => text.replace(/^id: .*\n/m, ''));
    expect((await readTask(join(root, 'my-link'))).id).toBe('my-link');
  });
});

describe('every other file', () => {
  test.each(['task.yaml', 'evaluator.py', 'initial.py', 'prompts/task.md', 'harness.py'])(
    '%s that is a link out, a device or a pipe is refused',
    async (name) => {
      if (name === 'harness.py') edit('task.yaml', (text) => text.replace('kind: solution', 'kind: function'));
      instead(name, join(root, 'secret.txt'));
      expect(await failure()).toContain(`${join(folder, name)}: `);
      expect(await failure()).toContain('a file outside of');
      instead(name, '/dev/zero');
      expect(await failure()).toContain('a device');
      pipe(name);
      expect(await failure()).toContain('a pipe');
    },
  );

  test('the folder of an initial program in several files ends, whatever links are in it', async () => {
    rmSync(join(folder, 'initial.py'));
    put('initial/main.py', '# EVOLVE-BLOCK-START\nx = 1\n# EVOLVE-BLOCK-END\n');
    symlinkSync(join(folder, 'initial'), join(folder, 'initial', 'loop'));
    symlinkSync(join(folder, 'initial'), join(folder, 'initial', 'another'));
    expect((await readTask(folder)).initialProgram).toContain('x = 1');
    symlinkSync(join(root, 'secret.txt'), join(folder, 'initial', 'secret.py'));
    expect(await failure()).toMatch(/secret\.py: .*a file outside of/);
    rmSync(join(folder, 'initial', 'secret.py'));
    for (let index = 0; index < 300; index++) put(`initial/m${index}.py`, 'x = 1\n');
    expect(await failure()).toContain('expected at most');
  });

  test('all files together are bounded', async () => {
    rmSync(join(folder, 'initial.py'));
    put('initial/main.py', '# EVOLVE-BLOCK-START\nx = 1\n# EVOLVE-BLOCK-END\n');
    for (let index = 0; index < 5; index++) put(`initial/m${index}.py`, `x = "${'x'.repeat(3.9 * 2 ** 20)}"\n`);
    expect(await failure()).toContain('expected files of at most');
  });

  test('fixtures, cheats and gold files', async () => {
    for (const [name, read] of [
      ['golden.json', readGolden],
      ['honest.json', readHonest],
    ] as const) {
      instead(`fixtures/${name}`, join(root, 'secret.txt'));
      expect(await outcome(() => read(folder))).toContain('a file outside of');
      instead(`fixtures/${name}`, '/dev/zero');
      expect(await outcome(() => read(folder))).toContain('a device');
    }
    rmSync(join(folder, 'fixtures', 'gold'), { recursive: true, force: true });
    instead('fixtures/gold/a.json', join(root, 'secret.txt'));
    expect(await outcome(() => readGold(folder))).toContain('a file outside of');
    for (const path of ['../../secret.py', '/etc/passwd.py', '../../../my-task/initial.py'])
      expect(await outcome(() => programOf(join(folder, 'fixtures'), path))).toContain('expected the path of a file');
    writeFileSync(join(root, 'secret.py'), '# secret of the host');
    instead('fixtures/own.py', join(root, 'secret.py'));
    expect(await outcome(() => programOf(join(folder, 'fixtures'), 'own.py'))).toContain('a file outside of');
    instead('fixtures/cheats/a.py', join(root, 'secret.py'));
    expect(await outcome(() => readCheats(['own'], root, folder))).toContain('a file outside of');
  });

  test('the bounds of a reward are not read from elsewhere, and never wait', () => {
    pipe('task.yaml');
    expect(shapingOf(folder)).toBeNull();
    instead('task.yaml', '/dev/zero');
    expect(shapingOf(folder)).toBeNull();
  });
});

test('a script that reads out of its folder, or a device, is refused with the file', async () => {
  put('task.yaml', 'kind: script\ndirection: maximise\n');
  put('data.csv', 'x\n1\n');
  expect((await readTask(folder)).script!.files).toMatchObject({ 'data.csv': 'x\n1\n' });
  for (const name of ['initial.py', 'evaluator.py', 'data.csv']) {
    const kept = readFileSync(join(folder, name), 'utf8');
    for (const [target, message] of [
      [join(root, 'secret.txt'), 'a file outside of'],
      ['/dev/zero', 'a device'],
    ] as const) {
      instead(name, target);
      expect(await outcome(() => readTask(folder))).toMatch(new RegExp(`${name}.*${message}`));
    }
    rmSync(join(folder, name));
    put(name, kept);
  }
  pipe('data.csv');
  expect(await outcome(() => readTask(folder))).toMatch(/data\.csv.*a pipe/);
});

test('an example of another system that links out of its folder is refused', async () => {
  const example = join(root, 'example');
  mkdirSync(example);
  writeFileSync(join(example, 'initial_program.py'), 'def f():\n    return 1\n');
  writeFileSync(join(example, 'evaluator.py'), 'def evaluate(program_path):\n    return {"score": 1}\n');
  writeFileSync(join(example, 'config.yaml'), 'prompt: {system_message: hello}\n');
  const imported = () => importPeer(example);
  expect(imported().settings.message).toBe('hello');
  for (const name of ['initial_program.py', 'evaluator.py', 'config.yaml']) {
    const kept = readFileSync(join(example, name), 'utf8');
    for (const [target, message] of [
      [join(root, 'secret.txt'), 'a file outside of'],
      ['/dev/zero', 'a device'],
    ] as const) {
      rmSync(join(example, name));
      symlinkSync(target, join(example, name));
      expect(await outcome(async () => imported())).toContain(message);
    }
    rmSync(join(example, name));
    writeFileSync(join(example, name), kept);
  }
  writeFileSync(join(example, 'config.yaml'), 'a: &a [*a]\n');
  expect(imported().settings.run).toEqual({ method: 'openevolve' });
});
