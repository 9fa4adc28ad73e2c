// The command line as people meet it: wrong input ends with code 2 and one message, before anything starts or is
// written.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { carriedOut } from '../support/machine/carried-out.ts';
import { PARTS } from '../support/machine/home.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'evolve-cli-'));
const home = join(folder, 'home');
/** As `evolve` itself has it (cli/evolve.mjs). */
const NODE_COMPILE_CACHE = join(PARTS, 'compile-cache');

const node = (args: readonly string[], env: Record<string, string> = {}) => {
  const { PATH = '' } = process.env;
  const { status, stdout, stderr } = spawnSync(join(ROOT, 'node_modules', '.bin', 'node'), args, {
    encoding: 'utf8',
    env: { PATH, EVOLVE_HOME: home, NODE_COMPILE_CACHE, ...env },
  });
  return { status, stdout, stderr };
};
const MAIN = join(ROOT, 'cli', 'main.ts');

/** As in a shell that names nothing: what a process of its own would be given. */
beforeEach(() => {
  for (const name of Object.keys(process.env))
    if (/^(EVOLVE|TEMPORAL|MONGODB|OPENAI|DOCKER)_/.test(name)) vi.stubEnv(name, undefined);
  vi.stubEnv('EVOLVE_HOME', home);
  // The endpoint of whoever runs the tests is not that of the commands.
  for (const name of ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'EVOLVE_MODEL']) vi.stubEnv(name, undefined);
  return () => vi.unstubAllEnvs();
});

describe('wrong input', () => {
  test('run without a task takes the folder in which it is called, where that has an evaluator', async () => {
    const own = mkdtempSync(join(folder, 'own-'));
    writeFileSync(join(own, 'evaluator.py'), 'def evaluate(path):\n    return 1\n');
    vi.spyOn(process, 'cwd').mockReturnValue(own);
    const { code, stderr } = await carriedOut(['run', '--steps', '1']);
    vi.restoreAllMocks();
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${own}: which file is the program to begin with?`)]);
  });
  test.each([
    ['rum', "unknown command 'rum'"],
    ['run --tsk x', 'Did you mean --task?'],
    ['status a b', 'too many arguments'],
    ['rewind demo', "required option '--to-step <n>' not specified"],
    ['sweep stop', "missing required argument 'name'"],
    ['schedule create nowhere.yaml --every 6h --overlap all', 'Allowed choices are skip, buffer-one'],
    ['replay-response', "missing required argument 'program'"],
  ])('%s', async (line, message) => {
    const { code, stdout, stderr } = await carriedOut(line.split(' '));
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(existsSync(home)).toBe(false);
  });

  test('ends its process so', () => {
    const { status, stdout, stderr } = node([MAIN, 'run', '--steps', 'many']);
    expect(stderr).toContain('--steps: limits.steps: expected a whole number from 1 to 999999, got "many".');
    expect(stderr).not.toMatch(/\n\s+at /);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  });

  test('a key without a model says what is missing', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'k');
    const { code, stderr } = await carriedOut(['run']);
    expect(code).toBe(2);
    expect(stderr).toContain('set EVOLVE_MODEL');
    expect(stderr).toContain('--model offline');
  });
});

test('an endpoint that is not there ends with code 3 before anything starts', async () => {
  const { code, stderr } = await carriedOut(['start', '--base-url', 'http://127.0.0.1:1/v1', '--model', 'm']);
  expect(stderr).toContain('the model endpoint http://127.0.0.1:1/v1 cannot be reached');
  expect(code).toBe(3);
  expect(existsSync(home)).toBe(false);
});

test.each([['status'], ['list'], ['best'], ['run'], ['sweep list'], ['retry']])(
  '%s without anything up says what to start, with code 3',
  async (command) => {
    const { code, stderr } = await carriedOut(command.split(' '));
    expect(stderr).toContain('npx evolve up');
    expect(code).toBe(3);
  },
);

test('help and version end well', async () => {
  expect(node([MAIN, '--help'])).toMatchObject({ status: 0, stderr: '' });
  expect((await carriedOut(['run', '--help'])).stdout).toContain('--max-programs');
  expect((await carriedOut(['sweep', 'report', '--help'])).stdout).toContain('--csv');
  expect((await carriedOut(['schedule', 'create', '--help'])).stdout).toContain('{date}');
  expect(await carriedOut(['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+/) });
});

/** The modules that a process loads while it carries out these command lines one after the other. */
const loadedBy = (...lines: readonly string[]): string => {
  const hooks =
    'import { registerHooks } from "node:module"; registerHooks({ resolve(specifier, context, next) { const found = next(specifier, context); process.stderr.write(`<${found.url}>\\n`); return found; } });';
  const script = `import { carryOut } from ${JSON.stringify(join(ROOT, 'cli', 'program.ts'))};
    for (const line of ${JSON.stringify(lines)})
      await carryOut(line.split(' ')).catch((error) => process.stderr.write(error.message));`;
  return node([`--import=data:text/javascript,${encodeURIComponent(hooks)}`, '--input-type=module', '--eval', script])
    .stderr;
};

test('a command loads what it needs: reading ones neither the schema, nor the reader of tasks, nor Temporal, nor Docker', () => {
  const loaded = loadedBy('status', 'list', 'best', 'steps', 'usage', 'sweep list');
  for (const module of ['run/status', 'run/list', 'programs/best', 'programs/steps', 'run/usage', 'sweeps/sweep-list'])
    expect(loaded).toContain(`/cli/commands/${module}.ts>`);
  expect(loaded.match(/npx evolve up/g)).toHaveLength(6);
  expect(loaded).not.toMatch(
    /node_modules\/(zod|yaml|dockerode|openai|mongodb|@temporalio)|config\/settings\.ts|task\/load-task\.ts/,
  );
  const help = loadedBy('--help');
  expect(help).toContain('/cli/program.ts>');
  expect(help).not.toContain('/cli/commands/');
});

test('the help names every command once, in groups', async () => {
  const { stdout } = await carriedOut(['--help']);
  expect(stdout.match(/^[A-Z][a-z ]+:$/gm)).toEqual([
    'Options:',
    'Parts:',
    'A run:',
    'Steer a run:',
    'Do again:',
    'Tasks:',
    'Many runs:',
    'Help:',
  ]);
  const names = [...stdout.matchAll(/^  ([a-z-]+) {2,}\S/gm)].map(([, name]) => name!);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining(['start', 'status', 'sweep', 'completion']));
  expect(
    Math.max(
      ...stdout
        .split('\n')
        .slice(0, -3)
        .map((line) => line.length),
    ),
  ).toBeLessThanOrEqual(80);
});
