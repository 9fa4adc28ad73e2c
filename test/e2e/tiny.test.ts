// The one to run first: a run of two steps on the real engine, database and containers, from the command line to the
// files it leaves.
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UI_VIEWS } from '../../client/temporal/ui-views.ts';
import { runs, testHome, type TestHome } from '../support/machine/home.ts';

describe('a run, end to end', () => {
  let home: TestHome;
  beforeAll(async () => {
    home = testHome('tiny');
    const up = await home.evolve(['up']);
    expect(up.code, up.stdout + up.stderr).toBe(0);
    expect(up.stdout).toMatch(/Temporal UI: http\S+\n.*needs a person, all runs.*npx evolve views\n/);
    expect(up.stdout).not.toContain('%20');
    expect((await home.evolve(['views'])).stdout).toMatch(/needs a person: http\S+\?query=\S+\n[^]*http\S+runId=/);
  });
  afterAll(() => home.remove());

  it('makes B x n candidates a step, tells the truth about them and leaves its files', async () => {
    const result = await home.evolve('run --run tiny --seed 7 --steps 2 --batch 3 --responses 4'.split(' '));
    expect(result.code, result.stdout + result.stderr).toBe(0);

    const status = await home.json(['status', 'tiny']);
    expect(status).toMatchObject({
      run: 'tiny',
      task: 'circle-packing-square-26',
      method: 'theta',
      seed: 7,
      state: 'finished',
      stopReason: 'steps',
      steps: 2,
      programs: 24,
      offlineModel: true,
      costUsd: 0,
    });
    const failed = Object.values(status.failures as Record<string, number>).reduce((a, b) => a + b, 0);
    expect(status.valid + failed).toBe(24);
    expect(status.best.score).toBeGreaterThanOrEqual(0.9597642);
    expect(status.best.strictScore).toBeLessThanOrEqual(status.best.score + 1e-12);
    expect(status.tokens.in).toBeGreaterThan(0);
    expect(status.temporalUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/.*run%2Ftiny/);

    const programs = await home.programs('tiny', '--code');
    expect(programs).toHaveLength(24);
    expect(new Set(programs.map((program) => program.id)).size).toBe(24);
    expect(programs.map((program) => [program.step, program.slot])).toEqual(
      [1, 2].flatMap((step) => Array.from({ length: 12 }, (_, slot) => [step, slot])),
    );
    for (const program of programs) {
      expect(program.parents).toHaveLength(1);
      expect(program.score === null).toBe(program.outcome !== 'valid');
      if (program.outcome === 'valid') expect(program.code).toContain('EVOLVE-BLOCK-START');
    }

    const folder = join(home.runs, 'tiny');
    expect(JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8'))).toMatchObject({
      run: 'tiny',
      programs: 24,
      best: status.best,
    });
    const solution = JSON.parse((await home.evolve(['best', 'tiny', '--solution'])).stdout);
    expect(solution.circles).toHaveLength(26);
    expect(solution.circles.reduce((sum: number, circle: number[]) => sum + circle[2]!, 0)).toBeCloseTo(
      status.best.score,
      9,
    );
    expect(existsSync(join(folder, 'best.svg')) || existsSync(join(folder, 'best.png'))).toBe(true);
  });

  it('is exported as tables', async () => {
    const folder = join(home.dir, 'tables');
    const { code, stderr } = await home.evolve(['export', 'tiny', '--parquet', folder]);
    expect(code, stderr).toBe(0);
    const rows = async (name: string) =>
      parquetReadObjects({ file: await asyncBufferFromFile(join(folder, `${name}.parquet`)) });
    const programs = await home.programs('tiny', '--all', '--code');
    expect((await rows('programs')).map(({ id, code: text }) => [id, text])).toEqual(
      programs.map(({ id, code: text }) => [id, text]),
    );
    expect((await rows('steps')).map(({ step }) => step)).toEqual([0, 1, 2]);
    expect((await rows('usage')).at(-1)).toMatchObject({ by: 'total', answers: 24 });
  });

  it('is legible in the workflow engine: ids, search attributes, details', async () => {
    const { Client, Connection } = await import('@temporalio/client');
    const connection = await Connection.connect({ address: home.up().temporal.address });
    const client = new Client({ connection });
    const listed = [];
    const { query } = UI_VIEWS.find(({ name }) => name === 'one run with its steps')!;
    for await (const workflow of client.workflow.list({ query: query.replace('<run>', 'tiny') })) listed.push(workflow);
    expect(listed.map((workflow) => workflow.workflowId).sort()).toEqual([
      'run/tiny',
      'run/tiny/step/000000',
      'run/tiny/step/000001',
      'run/tiny/step/000002',
    ]);
    const run = listed.find((workflow) => workflow.workflowId === 'run/tiny')!;
    expect(run.searchAttributes).toMatchObject({
      EvoTask: ['circle-packing-square-26'],
      EvoMethod: ['theta'],
      EvoStep: [2],
      EvoNeedsAttention: [false],
      EvoStatus: ['finished'],
    });
    expect((run.searchAttributes.EvoBestScore as number[])[0]).toBeGreaterThanOrEqual(0.9597642);
    // A worker that makes stack traces of promises needs nearly twice the CPU time for workflows (workers/untraced.ts).
    await expect(client.workflow.getHandle('run/tiny').query('__stack_trace')).rejects.toThrow(/not enabled/);
    await connection.close();
  });

  it('is extended after its end, and goes on from where it was', async () => {
    const extended = await home.evolve(['extend', 'tiny', '--steps', '3']);
    expect(extended.code, extended.stdout + extended.stderr).toBe(0);
    const watched = await home.evolve(['watch', 'tiny']);
    expect(watched.code, watched.stdout + watched.stderr).toBe(0);
    expect(await home.json(['status', 'tiny'])).toMatchObject({ state: 'finished', steps: 3, programs: 36 });
    expect(await home.programs('tiny')).toHaveLength(36);
  });

  it('leaves nothing running after down', async () => {
    const pids = home
      .up()
      .processes.filter((process) => process.name !== 'dockerd')
      .map((process) => process.pid);
    expect((await home.evolve(['down'])).code).toBe(0);
    expect(pids.filter(runs)).toEqual([]);
  });
});
