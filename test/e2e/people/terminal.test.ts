// Every command that shows something, in a small window with forced colours: no escape code is seen as letters, and no
// line is wider than the window.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { carriedOut } from '../../support/machine/carried-out.ts';
import { sharedHome } from '../../support/machine/live.ts';

const RUN = 'shown-with-a-name-that-is-quite-long-for-a-small-window';
const FORK = 'shown-fork';
const COLUMNS = 80;

/** By the file of the command. */
const SHOWING: { readonly [file: string]: readonly string[] } = {
  list: ['list'],
  status: ['status', RUN],
  watch: ['watch', RUN],
  steps: ['steps', RUN],
  programs: ['programs', FORK, '--all', '--columns', 'length,tokens,cpuSeconds'],
  show: ['show', `${RUN}:000001:0:000000`],
  best: ['best', RUN],
  islands: ['islands', RUN],
  deltas: ['deltas', RUN],
  usage: ['usage', RUN, '--steps'],
  policies: ['policies', RUN],
  prune: ['prune', RUN, '--dry-run'],
  hosts: ['hosts'],
  compare: ['compare', RUN, FORK],
  report: ['report', RUN, FORK],
  'sweep-list': ['sweep', 'list'],
  'sweep-status': ['sweep', 'status', 'shown'],
  'sweep-report': ['sweep', 'report', 'shown'],
  'task-list': ['task', 'list'],
  'task-show': ['task', 'show', 'circle-packing-square-26'],
};

/** A single word, such as an address, stays whole wherever it stands. */
const isTooWide = (line: string): boolean => line.length > COLUMNS && !/^ *(?:\S+ +)?\S+$/.test(line);

describe('commands in a small window with colours', () => {
  const live = sharedHome();
  const before = { ...process.env };
  const settings = { seed: 3, batch: 1, responses: 4, limits: { steps: 2 }, model: { name: 'offline' } };

  beforeAll(async () => {
    Object.assign(process.env, live.home.env, { TERM: 'xterm-256color', FORCE_COLOR: '1' });
    delete process.env['NO_COLOR'];
    await live.engine.start(RUN, settings);
    await live.engine.ended(RUN);
    await live.must('fork', RUN, '--run', FORK, '--at-step', '1', '--detach');
    await live.engine.ended(FORK);
    await live.engine.client.workflow.execute('sweep', {
      workflowId: 'sweep/shown',
      taskQueue: 'evolve-workflow',
      args: [{ name: 'shown', seeds: [1], grid: { batch: [1, 2] }, base: { ...settings, limits: { steps: 1 } } }],
    });
  });
  afterAll(() => {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before);
  });

  it('are all there of which the code colours anything', () => {
    const files = globSync(join(import.meta.dirname, '../../../cli/commands/**/*.ts'));
    const colouring = files.filter((file) => readFileSync(file, 'utf8').includes('Paint('));
    expect(colouring.length).toBeGreaterThan(0);
    expect(colouring.map((file) => basename(file, '.ts')).filter((name) => !(name in SHOWING))).toEqual([]);
  });

  it.each(Object.keys(SHOWING))('%s shows no code, and no line that is too wide', async (name) => {
    const { stdout, failed, stderr } = await carriedOut(SHOWING[name]!, COLUMNS);
    expect(failed, stderr).toBe(false);
    const [head = ''] = stdout.split('\n--- ');
    expect(head).not.toContain('\\u{1B}');
    const lines = head.replaceAll(/\x1b\[[0-9;?]*[A-Za-z]/g, '').split('\n');
    expect(lines.join('\n')).not.toContain('\x1b');
    expect(lines.filter(isTooWide)).toEqual([]);
  });

  it('colour states, and name the run of a fork', async () => {
    for (const name of ['list', 'status', 'sweep-list', 'sweep-status'])
      expect((await carriedOut(SHOWING[name]!, COLUMNS)).stdout, name).toContain('\x1b[32mfinished\x1b[39m');
    expect((await carriedOut(['list'], 120)).stdout).toMatch(/shown-fork .*fork of s\S*window/);
  });

  it('list programs under a head, with ids that end where they differ, and with what went wrong', async () => {
    const { stdout } = await carriedOut(['programs', RUN], COLUMNS);
    const [head = '', ...rows] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^program +score +.*outcome$/);
    expect(rows.filter((row) => /^shown\S*…\S*:00000\d:0:00000\d /.test(row))).toHaveLength(8);
    const failed = rows.filter((row) => / (?:invalid|no_solution)\b/.test(row));
    expect(failed.filter((row) => !/ (?:invalid|no_solution): ?\S/.test(row))).toEqual([]);
    expect(failed).not.toEqual([]);
    const whole = await carriedOut(['programs', RUN]);
    expect(whole.stdout).toContain(`  ${RUN}:000000:0:000000  `);
    expect(whole.stdout).not.toContain('…');
  });
});
