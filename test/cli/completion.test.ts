// Tab: what could stand next on a command line, and the scripts that ask for it.
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { complete, type Values } from '../../cli/completion.ts';
import { carriedOut } from '../support/machine/carried-out.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const none = (what: string) => async (): Promise<readonly string[]> => {
  throw new Error(`${what} were not to be asked for`);
};
const NOBODY: Values = { runs: none('runs'), sweeps: none('sweeps'), tasks: none('tasks'), methods: none('methods') };
const offered = async (line: string, values: Partial<Values> = {}) => {
  const found = await complete(line.split(' '), { ...NOBODY, ...values });
  return { ...found, values: found.values.map(([value]) => value) };
};
const runs = async () => ['latest', 'theta-1', 'delta-1'];

describe('what is offered', () => {
  test.each([
    ['sta', ['start', 'status']],
    ['sweep st', ['status', 'stop']],
    ['task in', ['init']],
    ['help comp', ['completion', 'compare']],
    ['status --', ['--json', '--help']],
    ['run --max', ['--max-programs']],
    ['sweep report --cs', ['--csv']],
    ['completion ', ['bash', 'zsh', 'fish']],
    ['schedule create --overlap b', ['buffer-all', 'buffer-one']],
    ['best demo ', []],
    ['run --run ', []],
    ['add-model demo ', []],
  ])('after "evolve %s"', async (line, expected) => {
    expect([...(await offered(line, { runs })).values].sort()).toEqual([...expected].sort());
  });
  test('ids of runs, where a run is meant', async () => {
    for (const line of ['status ', 'compare theta-1 ', 'watch --exit-on-attention ', 'set ', 'deltas --program p '])
      expect((await offered(line, { runs })).values).toEqual(await runs());
    expect((await offered('status th', { runs })).values).toEqual(['theta-1']);
  });
  test('tasks, methods, sweeps', async () => {
    expect((await offered('run --task circle', { tasks: async () => ['circle-a', 'golomb'] })).values).toEqual([
      'circle-a',
    ]);
    expect((await offered('task show ', { tasks: async () => ['circle-a'] })).values).toEqual(['circle-a']);
    expect((await offered('start --method t', { methods: async () => ['theta', 'code'] })).values).toEqual(['theta']);
    expect((await offered('list --sweep ', { sweeps: async () => ['bins'] })).values).toEqual(['bins']);
    expect((await offered('sweep report ', { sweeps: async () => ['latest', 'bins'] })).values).toEqual([
      'latest',
      'bins',
    ]);
  });
  test('files are left to the shell', async () => {
    expect((await offered('run --config ')).files).toBe(true);
    expect((await offered('task score golomb ')).files).toBe(true);
    expect((await offered('status ', { runs })).files).toBe(false);
  });
});

test.each(['bash', 'zsh', 'fish'])('%s gets a script', async (shell) => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const { code, stdout } = await carriedOut(['completion', shell]);
  const script = stdout + log.mock.calls.flat().join('\n');
  log.mockRestore();
  expect(code).toBe(0);
  expect(script).toContain('evolve.mjs');
  expect(script).toMatch(/complete --/);
});

test('a shell that is not known is refused', async () =>
  expect(await carriedOut(['completion', 'tcsh'])).toMatchObject({ code: 2, stdout: '' }));

test('bash completes through its script, without bash-completion and without anything up', () => {
  const asked = [
    `eval "$('${ROOT}/node_modules/.bin/node' '${ROOT}/cli/evolve.mjs' completion bash)"`,
    'COMP_WORDS=(evolve task sh); COMP_CWORD=2; __evolve_complete; echo "${COMPREPLY[@]}"',
    'COMP_WORDS=(evolve status ""); COMP_CWORD=2; __evolve_complete; echo "${COMPREPLY[@]}"',
    'COMP_WORDS=(evolve run --method the); COMP_CWORD=3; __evolve_complete; echo "${COMPREPLY[@]}"',
    'type -t evolve; complete -p evolve',
  ].join('\n');
  const { stdout, stderr } = spawnSync('bash', ['--norc', '--noprofile', '-c', asked], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', EVOLVE_HOME: join(tmpdir(), 'evolve-none') },
  });
  expect({
    lines: stdout.trim().split('\n'),
    stderr: stderr.replaceAll(/.*compopt: not currently executing completion function\n/g, ''),
  }).toEqual({
    lines: ['show', 'latest', 'theta', 'function', 'complete -o default -F __evolve_complete evolve'],
    stderr: '',
  });
});
