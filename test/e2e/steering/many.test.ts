// Commands that act on many runs: which are meant, what is asked before, and what is said of each.
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { carriedOut } from '../../support/machine/carried-out.ts';
import { until } from '../../support/machine/home.ts';
import { sharedHome } from '../../support/machine/live.ts';

const RUNS = ['many-a', 'many-b', 'many-c'];
const TWO = 'EvoRunId = "many-a" OR EvoRunId = "many-b"';

/** Carries a command out at a terminal where somebody answers its question. */
const answered = async (answer: string, ...words: readonly string[]) => {
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!;
  const typed = Object.assign(new PassThrough(), { isTTY: true });
  Object.defineProperty(process, 'stdin', { value: typed, configurable: true });
  try {
    typed.write(`${answer}\n`);
    return await carriedOut(words);
  } finally {
    Object.defineProperty(process, 'stdin', stdin);
  }
};

describe('commands over many runs', () => {
  const live = sharedHome();
  const before = { ...process.env };
  const versions = () => Promise.all(RUNS.map(async (run) => (await live.engine.document(run)).configVersion));
  const listed = async (...words: string[]): Promise<readonly { readonly run: string }[]> =>
    JSON.parse((await carriedOut([...words, '--json'])).stdout);

  beforeAll(async () => {
    Object.assign(process.env, live.home.env);
    for (const run of RUNS)
      await live.engine.start(run, {
        ...{ seed: 3, batch: 1, responses: 1, limits: { steps: 1 } },
        ...{ evaluation: { sandbox: 'noop' }, model: { name: 'offline' } },
      });
    for (const run of RUNS) await live.engine.ended(run);
    await until('the rows of the runs', 60_000, async () => (await listed('list', '--where', TWO)).length === 2);
  });
  afterAll(() => {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before);
  });

  it('find runs by a query, and say what is wrong with it', async () => {
    expect((await listed('list', '--where', TWO, '--state', 'finished')).map(({ run }) => run).toSorted()).toEqual([
      'many-a',
      'many-b',
    ]);
    expect(await carriedOut(['list', '--where', 'EvoNothing = 1'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--where: the workflow engine refuses the query.*EvoNothing/),
    });
    expect(await carriedOut(['stop', '--state', 'runing', '--yes'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--state: expected one of'),
    });
    expect(await carriedOut(['stop', 'many-a', '--where', TWO])).toMatchObject({ code: 2 });
  });

  it('ask before they act on more than one, and do nothing unless the answer is yes', async () => {
    const change = ['set', '--where', TWO, 'diff.maxCodeChars=20000'];
    const unasked = await carriedOut(change);
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing was sent. Give --yes') });
    for (const part of ['many-a', 'many-b', 'finished', 'npx evolve set diff.maxCodeChars=20000'])
      expect(unasked.stdout).toContain(part);
    expect(unasked.stdout).not.toContain('many-c');
    expect(await answered('no', ...change)).toMatchObject({ code: 2 });
    expect(await versions()).toEqual([1, 1, 1]);
    expect(await answered('y', ...change)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('2 runs. Go on?'),
    });
    expect(await versions()).toEqual([2, 2, 1]);
  });

  it('change none where one of them cannot be changed so, and tell each where one refuses a message', async () => {
    const refused = await carriedOut(['extend', 'many-a', 'many-c', '--steps', '1', '--yes']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('no run was changed') });
    expect(refused.stderr).toMatch(/many-a: run many-a has made 1 step[^]*many-c: run many-c has made 1 step/);
    const failed = await carriedOut(['pause', 'many-a', 'many-b', '--yes', '--json']);
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject([
      { run: 'many-a', error: expect.stringContaining('it is finished') },
      { run: 'many-b', error: expect.stringContaining('it is finished') },
    ]);
    expect(await listed('pause', '--where', TWO)).toMatchObject([
      { run: expect.any(String), leftAlone: 'it is finished' },
      { run: expect.any(String), leftAlone: 'it is finished' },
    ]);
  });

  it('act on all that are named, whose results come one by one', async () => {
    expect(await listed('extend', 'many-c', 'many-b', '--steps', '2', '--yes')).toMatchObject([
      { run: 'many-c', opened: true, limits: { steps: 2 } },
      { run: 'many-b', opened: true, limits: { steps: 2 } },
    ]);
    for (const run of ['many-b', 'many-c'])
      await live.engine.seen(run, 'step 2', ({ committedStep }) => committedStep === 2);
    expect((await live.engine.document('many-a')).committedStep).toBe(1);
    for (const run of ['many-b', 'many-c']) await live.engine.ended(run);
    expect(await listed('extend', 'many-b', 'many-c', '--steps', '100000', '--yes')).toHaveLength(2);
    expect(await listed('pause', 'many-b', 'many-c', '--now', '--yes')).toEqual([
      { run: 'many-b', sent: 'pause', mode: 'now' },
      { run: 'many-c', sent: 'pause', mode: 'now' },
    ]);
    for (const run of ['many-b', 'many-c']) await live.engine.seen(run, 'paused', ({ status }) => status === 'paused');
    const stopped = await listed('stop', '--where', 'EvoRunId IN ("many-a", "many-b", "many-c")', '--yes');
    expect(stopped.toSorted((a, b) => (a.run < b.run ? -1 : 1))).toEqual([
      { run: 'many-a', leftAlone: 'it is finished' },
      { run: 'many-b', sent: 'stop', mode: 'step' },
      { run: 'many-c', sent: 'stop', mode: 'step' },
    ]);
    for (const run of ['many-b', 'many-c'])
      expect((await live.engine.ended(run)).status, 'the runs that are stopped').toBe('stopped');
  });

  it('remove runs that have ended, and say before what and how much', async () => {
    const planned = await carriedOut(['prune', 'many-a', '--dry-run', '--json']);
    expect(JSON.parse(planned.stdout)).toMatchObject({
      dryRun: true,
      runs: [{ run: 'many-a', documents: expect.any(Number), bytes: expect.any(Number) }],
      kept: [],
    });
    const unasked = await carriedOut(['prune', 'many-a']);
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing was removed: give --yes') });
    expect(unasked.stdout).toMatch(/run many-a \(ended .*documents, about/);
    expect(await answered('no', 'prune', 'many-a')).toMatchObject({ code: 2 });
    expect((await live.engine.document('many-a')).status).toBe('finished');
    expect(await answered('yes', 'prune', 'many-a', '--files')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('run many-a is removed'),
    });
    expect((await listed('list')).map(({ run }) => run)).not.toContain('many-a');
    expect(await carriedOut(['run', '--task', 'circle-packing-square-26', '--run', 'many-a'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('its name stays taken'),
    });
    await until('its row to go', 60_000, async () => (await listed('list', '--where', TWO)).length === 1);
  });
});
