// Every command over runs, sweeps and task folders whose every text acts on a terminal: no byte that a command prints or
// writes into a file for people does. A command that is not in the table fails the test.
// Attempts: messages and the terminal.
import type { Command } from 'commander';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../../../cli/program.ts';
import { commandOf, isSweepVerb, verbNames } from '../../../evolution/steering/verbs.ts';
import { expectHarmless, expectOurs, forgetRun, POISON, poisonRun } from '../../poisoned/poison.ts';
import { carriedOut } from '../../support/machine/carried-out.ts';
import { sharedHome } from '../../support/machine/live.ts';

const RUN = 'poisoned-run';
const SWEEP = 'poisoned-sweep';
const PROGRAM = `${RUN}:000001:0:000000`;
const folder = mkdtempSync(join(tmpdir(), 'evolve-poisoned-'));
const task = join(folder, 'poisoned-task');
const file = (name: string): string => join(folder, name);

/** What is not said here is run with a wrong flag alone, which repeats the poison. */
const TABLE: { readonly [path: string]: readonly (readonly string[])[] } = {
  ...Object.fromEntries(verbNames.map((verb) => [commandOf(verb), isSweepVerb(verb) ? [[SWEEP]] : [[RUN, POISON]]])),
  start: [['--task', POISON]],
  up: [],
  down: [],
  worker: [[POISON], ['evaluation', '--labels', POISON]],
  hosts: [[]],
  keys: [[]],
  'keys share': [[], [POISON]],
  'keys unshare': [[POISON]],
  rates: [[]],
  'rates set': [
    [POISON, '1'],
    ['evolve-llm', POISON],
  ],
  upgrade: [[], ['--current', POISON], ['--pin', POISON, RUN], ['--unpin', POISON], ['--move', POISON]],
  prune: [['--dry-run', RUN], ['--dry-run', '--superseded'], [POISON]],
  views: [[]],
  doctor: [[RUN], [POISON]],
  'support-bundle': [
    [RUN, '--to', file('bundle-1')],
    [POISON, '--to', file('bundle-2')],
  ],
  'codec-server': [['--port', POISON]],
  ui: [
    ['--port', POISON],
    ['--token-file', file(POISON)],
  ],
  run: [
    ['--task', POISON],
    ['--set', `model.name=${POISON}`, '--method', POISON],
    ['--config', file(POISON)],
    [file(POISON), POISON],
  ],
  watch: [[RUN]],
  status: [[RUN]],
  list: [[]],
  best: [[RUN]],
  show: [[PROGRAM], [PROGRAM, '--prompt', '--response'], [POISON]],
  prompt: [[RUN, '1', '0']],
  'replay-response': [[PROGRAM], [PROGRAM, '--code']],
  programs: [[RUN], [RUN, '--code', '--all'], [RUN, '--outcome', POISON]],
  steps: [[RUN]],
  islands: [[RUN]],
  deltas: [[RUN]],
  settings: [[RUN]],
  usage: [[RUN, '--steps']],
  policies: [[RUN], [RUN, '--all'], [POISON]],
  'policy export': [
    [`${RUN}@1`, '--to', file('policy')],
    [POISON, '--to', file('policy')],
  ],
  files: [[RUN, '--to', file('files')]],
  export: [[RUN, '--to', file(`export-${'x'}`)]],
  'export reward-model': [['--paper', file(POISON)]],
  import: [[file(POISON)]],
  pause: [[RUN], ['--where', POISON, '--yes']],
  resume: [[POISON]],
  terminate: [[POISON]],
  extend: [[RUN, '--steps', POISON]],
  set: [
    [RUN, `a${POISON}=1`],
    [RUN, `model.name=${POISON}`],
  ],
  inject: [[RUN, file(POISON)]],
  retry: [[RUN], ['--state', POISON]],
  rewind: [[RUN, '--to', POISON]],
  fork: [[RUN, '--at', POISON]],
  rebuild: [[POISON]],
  models: [[]],
  'models update': [[file(POISON)]],
  mcp: [['--list'], ['--allow', POISON]],
  init: [[file(POISON)]],
  'task list': [[]],
  'task show': [[task, '--prompts', '--code'], [file(POISON)]],
  'task check': [[file(POISON)]],
  'task fetch': [[file(POISON)]],
  'task new': [[POISON]],
  'task score': [[file(POISON), file(POISON)]],
  'task baseline': [[file(POISON)]],
  'task init': [[file(POISON)]],
  sweep: [[file('sweep.yaml')], [file(POISON)]],
  'sweep status': [[SWEEP]],
  'sweep report': [[SWEEP], [SWEEP, '--csv', '-'], [SWEEP, '--csv', file('sweep.csv')]],
  'sweep list': [[]],
  'sweep terminate': [[POISON]],
  'schedule create': [[file('sweep.yaml'), '--every', POISON]],
  'schedule list': [[]],
  'schedule show': [[POISON]],
  'schedule edit': [[POISON, '--note', POISON]],
  'schedule backfill': [
    [POISON, '--from', POISON, '--to', POISON],
    [POISON, '--from', '2024-01-05', '--to', '2024-01-06'],
  ],
  'schedule trigger': [[POISON]],
  'schedule pause': [[POISON]],
  'schedule unpause': [[POISON]],
  'schedule delete': [[POISON]],
  reproduce: [
    [POISON, POISON],
    ['deltaevolve', POISON],
    ['deltaevolve', 'table-1', '--set', `a${POISON}=1`],
  ],
  compare: [
    [RUN, '--csv', '-'],
    [RUN, '--csv', file('compare.csv')],
  ],
  report: [
    [RUN],
    [RUN, '--csv', '-'],
    [RUN, '--markdown', file('report.md'), '--csv', file('report.csv'), '--page', file('report.html')],
  ],
  'propose-reward': [[RUN]],
  'train-judge': [['judge', '--data', file(POISON)]],
  'check-judge': [[file(POISON)]],
  completion: [['bash'], [POISON]],
};
/** `watch` prints a document a step and the last one in lines; `completion` prints a script. */
const NO_DOCUMENT = new Set(['watch', 'completion']);
/** Files for people, which the commands above leave. Programs, solutions and exports are kept exactly as they are. */
const WRITTEN = ['sweep.csv', 'compare.csv', 'report.md', 'report.csv', 'report.html'].map(file);

const pathsOf = (command: Command, path: readonly string[] = []): readonly string[] =>
  command.commands.flatMap((below) => {
    const own = [...path, below.name()];
    const acts = (below as unknown as { readonly _actionHandler: unknown })._actionHandler !== null;
    return [...(acts || below.commands.length === 0 ? [own.join(' ')] : []), ...pathsOf(below, own)];
  });

describe('poisoned runs, sweeps and tasks', () => {
  const live = sharedHome();
  const before = { ...process.env };

  beforeAll(async () => {
    Object.assign(process.env, live.home.env, { TERM: 'xterm-256color' });
    await live.engine.start(RUN, {
      method: 'delta',
      seed: 3,
      batch: 1,
      responses: 2,
      limits: { steps: 2 },
      evaluation: { sandbox: 'noop' },
      model: { name: 'offline' },
    });
    await live.engine.ended(RUN);
    await poisonRun(live.home.up()['database'].uri as string, RUN, SWEEP);
    const scaffold = join(import.meta.dirname, '..', '..', '..', 'client', 'tasks', 'scaffold', 'solution');
    cpSync(scaffold, task, { recursive: true });
    for (const name of ['task.yaml', 'prompts/task.md', 'initial.py', 'evaluator.py'])
      writeFileSync(
        join(task, name),
        readFileSync(join(task, name), 'utf8')
          .replaceAll('__ID__', 'poisoned-task')
          .replace(/^title: .*$/m, `title: ${JSON.stringify(`T${POISON}`)}`),
      );
    writeFileSync(file('sweep.yaml'), JSON.stringify({ name: 's', [`k${POISON}`]: POISON }));
  });
  afterAll(async () => {
    await forgetRun(live.home.up()['database'].uri as string, RUN, SWEEP);
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before);
    rmSync(folder, { recursive: true, force: true });
  });

  it('meet every command', async () => {
    const names = (await program([])).commands.map((command) => command.name()).filter((name) => name !== 'help');
    const tree = pathsOf(await program(names)).filter((path) => path !== 'help');
    expect(Object.keys(TABLE).toSorted()).toEqual([...tree].toSorted());
  });

  it.each(Object.keys(TABLE))('nothing that `evolve %s` prints acts on a terminal', async (path) => {
    const words = path.split(' ');
    for (const args of [...TABLE[path]!, [`--no-such-${POISON}`]]) {
      const { stdout, stderr } = await carriedOut([...words, ...args]);
      expectHarmless(stdout, `stdout of ${path}`);
      expectHarmless(stderr, `stderr of ${path}`);
      expect(stdout + stderr, path).not.toBe('');
    }
    for (const args of TABLE[path]!.filter((all) => !all.includes('-'))) {
      const { stdout, stderr, failed } = await carriedOut([...words, ...args, '--json']);
      expectHarmless(stdout + stderr, `${path} --json`);
      if (!failed && stdout.trim() !== '' && !NO_DOCUMENT.has(path))
        for (const document of stdout.trimStart().startsWith('{\n') || stdout.startsWith('[')
          ? [stdout]
          : stdout.trim().split('\n'))
          expect(() => JSON.parse(document) as unknown, `${path} --json: ${document.slice(0, 200)}`).not.toThrow();
    }
  });

  it('their poison is shown, and not left out', async () => {
    for (const words of [
      ['show', PROGRAM],
      ['status', RUN],
      ['best', RUN, '--code'],
    ]) {
      const { stdout } = await carriedOut(words, true);
      expect(stdout, words.join(' ')).toContain('\\u{202E}PWNED');
    }
  });

  it('a terminal gets our colours and moves of the cursor, and none of theirs', async () => {
    for (const words of [
      ['status', RUN],
      ['list'],
      ['watch', RUN],
      ['show', PROGRAM, '--response'],
      ['best', RUN, '--code'],
      ['programs', RUN],
      ['report', RUN],
      ['report', RUN, '--csv', '-'],
      ['sweep', 'status', SWEEP],
    ]) {
      const { stdout, stderr } = await carriedOut(words, true);
      expectOurs(stdout, `${words.join(' ')} on a terminal`);
      expectOurs(stderr, `${words.join(' ')} on a terminal`);
    }
    expect((await carriedOut(['status', RUN], true)).stdout).toContain('\x1b[2mrun');
  });

  it('`best --code` into a file is the program, exactly', async () => {
    const { stdout } = await carriedOut(['best', RUN, '--code']);
    expect(stdout).toBe(`def f():\n    return "${POISON}"\n`);
  });

  it('files for people are harmless, too', () => {
    const runs = ['summary.json', 'config.yaml', 'best.svg'].map((name) => join(live.home.runs, RUN, name));
    for (const path of [...WRITTEN, ...runs.filter(existsSync)]) expectHarmless(readFileSync(path, 'utf8'), path);
    expect(existsSync(runs[0]!)).toBe(true);
    const page = readFileSync(file('report.html'), 'utf8');
    expect(page).not.toContain('<img');
    expect(() => JSON.parse(readFileSync(runs[0]!, 'utf8')) as unknown).not.toThrow();
  });
});
