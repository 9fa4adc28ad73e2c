// A task's packages, from its requirements to a scored program: locked, built into an image once, without a network where
// the wheels are here. Its data files are read-only, and seen by the evaluator alone. A build that is killed leaves
// nothing in the way of the next one.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEvaluator } from '../../../activities/sandbox/host/evaluator.ts';
import { readTask } from '../../../activities/task/load-task.ts';
import { lockWorld, makeWorld } from '../../../client/tasks/world.ts';
import { projectNode, resolveHome } from '../../../deploy/host/home.ts';
import { connectEngine, imageId } from '../../../deploy/images/evaluator/engine.ts';
import { sha256 } from '../../../deploy/host/sha256.ts';
import { bounded } from '../../../deploy/images/task/bounded.ts';
import { ensureTaskImage, removeTaskImage, unneededImages } from '../../../deploy/images/task/task-image.ts';
import type { Task } from '../../../evolution/task/task.ts';
import type { TaskWorld } from '../../../evolution/task/task-world.ts';
import { isolationEnvironment } from '../../../workers/process/environment.ts';
import { createIsolations } from '../../../workers/roles/isolation.ts';
import { dockerHost, never, testImage } from '../../activities/sandbox/levels/docker.ts';

const SCAFFOLD = join(import.meta.dirname, '..', '..', '..', 'client', 'tasks', 'scaffold', 'solution');
/** A registry in a folder, as pip reads one. */
const MAKE_REGISTRY = `
import os, sys, zipfile
for name, version, needs in [("evolvetiny", "1.0", "evolvedeep"), ("evolvetiny", "2.0", "evolvedeep"), ("evolvedeep", "0.5", "")]:
    info = f"{name}-{version}.dist-info"
    file = f"{name}-{version}-py3-none-any.whl"
    os.makedirs(f"{sys.argv[1]}/{name}", exist_ok=True)
    with zipfile.ZipFile(f"{sys.argv[1]}/{name}/{file}", "w") as wheel:
        wheel.writestr(f"{name}.py", f"import {needs or 'math'}\\nVERSION = {version!r}\\n")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n" + (f"Requires-Dist: {needs}\\n" if needs else ""))
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/RECORD", "")
    with open(f"{sys.argv[1]}/{name}/index.html", "a") as page:
        page.write(f'<a href="{file}">{file}</a>')
`;
const said: string[] = [];
const before = process.env['PIP_INDEX_URL'];
const registry = (name: string): void => {
  process.env['PIP_INDEX_URL'] = `file://${join(scratch, name)}`;
};
let scratch: string;
let folder: string;
let engine: { readonly dockerHost: string; readonly image: string };
let home: ReturnType<typeof resolveHome>;
const place = () => ({ home, env: process.env, say: (line: string) => said.push(line) });

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'evolve-world-'));
  home = resolveHome({ EVOLVE_HOME: join(scratch, 'home') });
  engine = { dockerHost: dockerHost!, image: await testImage() };
  folder = join(scratch, 'tiny-task');
  await mkdir(join(scratch, 'registry'));
  expect(spawnSync('python3', ['-c', MAKE_REGISTRY, join(scratch, 'registry')]).status).toBe(0);
  registry('registry');
  await cp(SCAFFOLD, folder, { recursive: true });
  const yaml = (await readFile(join(folder, 'task.yaml'), 'utf8')).replaceAll('__ID__', 'tiny-task');
  await writeFile(
    join(folder, 'task.yaml'),
    `${yaml}\npackages: requirements.txt\ndataFiles: [big.bin]\nenv: { MODE: fast }\n`,
  );
  await writeFile(join(folder, 'big.bin'), 'one');
  const initial = await readFile(join(folder, 'initial.py'), 'utf8');
  const program = initial
    .replace('def place(n):', 'import os\nimport evolvetiny\n\ndef place(n):')
    .replace('    last =', '    print(evolvetiny.VERSION, os.path.exists("/data"), os.environ["MODE"])\n    last =');
  expect(program).toContain('print(evolvetiny.VERSION');
  await writeFile(join(folder, 'initial.py'), program);
  const evaluator = await readFile(join(folder, 'evaluator.py'), 'utf8');
  await writeFile(
    join(folder, 'evaluator.py'),
    evaluator.replace(
      '{"largest_gap": max(gaps)}',
      '{"largest_gap": max(gaps), "data": open("/data/big.bin").read() + __import__("os").environ["MODE"]}',
    ),
  );
});
afterAll(async () => {
  if (before === undefined) delete process.env['PIP_INDEX_URL'];
  else process.env['PIP_INDEX_URL'] = before;
  for (const { tag } of await unneededImages([], { dockerHost, base: engine.image, home: home.hash }))
    await removeTaskImage(dockerHost, tag);
  expect(await unneededImages([], { dockerHost, base: engine.image, home: home.hash })).toEqual([]);
  await rm(scratch, { recursive: true, force: true });
});

const ready = async (requirements: string): Promise<Task> => {
  await writeFile(join(folder, 'requirements.txt'), requirements);
  await lockWorld(place(), folder, engine);
  const task = await readTask(folder);
  await makeWorld(place(), task, folder, engine);
  return task;
};
const options = () => ({
  ...{ dockerHost, base: engine.image, home: home.hash, cacheDir: join(home.parts, 'image') },
  say: (line: string) => said.push(line),
});
const worldOf = async (task: Task): Promise<TaskWorld> => task.world!;

test.each(['fork', 'docker'])('a program imports its packages on the level %s', async (level) => {
  const task = await ready('evolvetiny==1.0\n');
  const env = { ...process.env, EVOLVE_HOME: home.root, DOCKER_HOST: dockerHost, EVOLVE_IMAGE: engine.image };
  const isolations = createIsolations(isolationEnvironment(env, 2));
  const isolation = await isolations.get(level, task);
  const scorer = isolation.scorerFor(task);
  const evaluator = createEvaluator({ ...isolation, scorer, task });
  const result = await evaluator.evaluate(
    {
      ...{ key: `world-${level}`, run: 'test', code: task.initialProgram, seed: 1 },
      ...{ acceptSavedOnTimeout: true, scoring: 'tolerant' as const },
    },
    never(),
  );
  await scorer.close();
  await isolations.each((one) => one.close());
  expect(result).toMatchObject({ outcome: 'valid', isolation: level, metrics: { data: 'onefast' } });
  expect(result.stderrTail.trim()).toBe('1.0 False fast');
  expect(result.imageId).not.toBe(engine.image);
});

test('what they need is locked with them, and one image serves all who want it at the same moment', async () => {
  const task = await ready('evolvetiny\n');
  const lock = await readFile(join(folder, 'requirements.lock'), 'utf8');
  expect(
    lock
      .split('\n')
      .slice(1, 3)
      .map((line) => line.replace(/=sha256.*/, '')),
  ).toEqual(['evolvedeep==0.5 --hash', 'evolvetiny==2.0 --hash']);
  const [tag] = (await unneededImages([], options())).map((image) => image.tag);
  for (const image of await unneededImages([], options())) await removeTaskImage(dockerHost, image.tag);
  expect(await imageId(connectEngine(dockerHost), tag!)).toBeNull();
  said.length = 0;
  // The wheels of the first build are enough.
  registry('nowhere');
  const world = await worldOf(task);
  const ids = await Promise.all([1, 2, 3].map(() => ensureTaskImage(world, options())));
  registry('registry');
  expect(new Set(ids).size).toBe(1);
  expect(said.filter((line) => line.startsWith('adding'))).toHaveLength(1);
  expect(await unneededImages([world], options())).toEqual([]);
  // Another home that wants it keeps it when this one gives it up.
  const other = { ...options(), home: '0123456789ab' };
  expect(await ensureTaskImage(world, other)).toBe(ids[0]);
  for (const image of await unneededImages([], options())) await removeTaskImage(dockerHost, image.tag);
  expect(await ensureTaskImage(world, other)).toBe(ids[0]);
  for (const image of await unneededImages([], other)) await removeTaskImage(dockerHost, image.tag);
});

test('a build that is killed is made anew', async () => {
  const world = await worldOf(await ready('evolvetiny==1.0\n'));
  for (const image of await unneededImages([], options())) await removeTaskImage(dockerHost, image.tag);
  const module = JSON.stringify(
    join(import.meta.dirname, '..', '..', '..', 'deploy', 'images', 'task', 'task-image.ts'),
  );
  const child = spawn(projectNode(), [
    ...['--input-type=module', '--eval'],
    `import { ensureTaskImage } from ${module};
     await ensureTaskImage(${JSON.stringify(world)}, { ...${JSON.stringify(options())}, say: (line) => { console.log(line); while (true); } });`,
  ]);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  const left = join(home.parts, 'image');
  expect(existsSync(left)).toBe(true);
  expect(await ensureTaskImage(world, options())).toMatch(/^sha256:/);
});

test('what does not end, or fills the disk, is ended', async () => {
  const forever = (signal: AbortSignal) => new Promise<void>((_, reject) => signal.addEventListener('abort', reject));
  const bounds = { what: 'building it', folders: [scratch], minutes: 1 };
  await expect(bounded({ ...bounds, minutes: 0.001 }, forever)).rejects.toThrow('building it did not end within');
  await expect(bounded({ ...bounds, least: Infinity }, forever)).rejects.toThrow('building it fills the disk of');
});

test.each([
  [
    'does not end',
    'import time; time.sleep(1e6)',
    /building the image of the Dockerfile did not end within 0.05 minutes/,
  ],
  ['fails', 'open("/none/file", "w")', /returned a non-zero code: 1: FileNotFoundError: .*'\/none\/file'$/],
])('the build of a Dockerfile that %s is one sentence, and nothing is left', async (_, python, problem) => {
  const docker = connectEngine(dockerHost);
  const name = (await docker.getImage(engine.image).inspect()).RepoTags[0]!;
  const dockerfile = `FROM ${name}\nRUN ${JSON.stringify(['python3', '-c', python])}\n`;
  await expect(ensureTaskImage({ dockerfile }, { ...options(), minutes: 0.05 })).rejects.toThrow(problem);
  const left = async () =>
    (await docker.listContainers({ all: true })).filter(({ Command }) => Command.includes(python)).length;
  await expect.poll(left, { timeout: 30_000 }).toBe(0);
});

test('an engine that goes away is named', async () => {
  const gone = { ...options(), dockerHost: `unix://${join(scratch, 'none.sock')}` };
  await expect(ensureTaskImage({ dockerfile: 'FROM scratch\n' }, gone)).rejects.toThrow(
    /the container engine at unix:.*none.sock does not answer: start it \(`npx evolve up`\) and give the command again/,
  );
});

test("an image of the person's own, built from a Dockerfile, gets the packages on top", async () => {
  const lock = (await worldOf(await ready('evolvetiny==1.0\n'))).lock!;
  const { dockerHost: host, base } = options();
  const name = (await connectEngine(host).getImage(base).inspect()).RepoTags[0]!;
  const world = { dockerfile: `FROM ${name}\nENV OWN=1\n`, lock };
  const id = await ensureTaskImage(world, options());
  expect((await connectEngine(host).getImage(id).inspect()).Config.Env).toContain('OWN=1');
  expect(await ensureTaskImage({ ...world, lock: lock.split('\n')[0]! }, options())).not.toBe(id);
  await expect(ensureTaskImage({ image: 'evolve-no-such:1' }, options())).rejects.toThrow(
    /has no image evolve-no-such:1/,
  );
});

describe('of a project', () => {
  const wheel = (name: string, version: string, when?: string): string => {
    const file = join(scratch, 'registry', name, `${name}-${version}-py3-none-any.whl`);
    const markers = when === undefined ? '' : `resolution-markers = ["python_full_version ${when}"]\n`;
    return `[[package]]\nname = "${name}"\nversion = "${version}"\n${markers}wheels = [{ url = "x", hash = "sha256:${sha256(readFileSync(file))}" }]\n`;
  };
  test.each([
    ['uv.lock decides, by the line of this Python', ["< '4'", ">= '4'"], '1.0'],
    ['uv.lock that has no version for this Python is refused', [">= '4'", ">= '5'"], null],
  ])('%s', async (_, [first, second], version) => {
    const own = join(scratch, `project-${version ?? 'none'}`);
    await cp(folder, own, { recursive: true });
    const put = (name: string, text: string) => writeFile(join(own, name), text);
    const yaml = await readFile(join(own, 'task.yaml'), 'utf8');
    await put(
      'task.yaml',
      yaml.replace('packages: requirements.txt', 'packages: pyproject.toml').replace(/^id: .*$/m, ''),
    );
    await put('pyproject.toml', '[project]\nname = "p"\nversion = "0"\ndependencies = ["evolvetiny"]\n');
    const lock = [wheel('evolvedeep', '0.5'), wheel('evolvetiny', '1.0', first), wheel('evolvetiny', '2.0', second)];
    await put('uv.lock', `version = 1\n${lock.join('\n')}`);
    const locked = lockWorld(place(), own, engine);
    if (version === null) return expect(locked).rejects.toThrow(/pyproject.toml: uv.lock has no evolvetiny/);
    await locked;
    expect(await readFile(join(own, 'requirements.lock'), 'utf8')).toContain(`evolvetiny==${version} --hash`);
  });
});

describe('refused in one sentence', () => {
  test.each([
    [
      'evolvedeep\nevolvetiny==9\n',
      /requirements.txt:2: evolvetiny==9 has no wheel for Python 3\.\d+ on Linux; the newest that has one is 2.0/,
    ],
    ['evolvetiny\n# x\nevolvenone\n', /requirements.txt:3: the registry has no package evolvenone/],
    [
      'evolvetiny==1.0\nevolvetiny==2.0\n',
      /requirements.txt: no versions of these fit together|requirements.txt.*Double requirement/,
    ],
  ])('%j', async (requirements, problem) => {
    await expect(ready(requirements)).rejects.toThrow(problem);
  });

  test('an import that nobody declared', async () => {
    await expect(ready('evolvedeep\n')).rejects.toThrow(
      /initial.py:\d+: imports evolvetiny, .* add evolvetiny to its packages/,
    );
  });

  test('a data file that differs, and a host that lacks it', async () => {
    await writeFile(join(folder, 'big.bin'), 'two');
    await expect(ready('evolvetiny\n')).rejects.toThrow(
      /big.bin: expected the file with sha256 .* remove data.lock to take this one/,
    );
    await writeFile(join(folder, 'big.bin'), 'one');
    const task = await ready('evolvetiny\n');
    const elsewhere = { ...process.env, EVOLVE_HOME: join(scratch, 'other'), EVOLVE_PARTS: home.parts };
    const isolations = createIsolations(
      isolationEnvironment({ ...elsewhere, DOCKER_HOST: dockerHost, EVOLVE_IMAGE: engine.image }, 1),
    );
    await expect(isolations.get('docker', task)).rejects.toThrow(
      /this host lacks the data files \(big.bin\): copy the folder data\//,
    );
    for (const image of await unneededImages([], { ...options(), home: resolveHome(elsewhere).hash }))
      await removeTaskImage(dockerHost, image.tag);
  });
});
