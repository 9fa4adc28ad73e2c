// An experiment of a paper in small, from the command line to the paper's numbers beside ours; a second call finds what
// the first one made.
import { describe, expect, it } from 'vitest';
import { listExperiments } from '../../../client/papers/experiments.ts';
import { sharedHome } from '../../support/machine/live.ts';
import { FULL } from '../../support/sizes.ts';

describe('evolve reproduce', () => {
  const live = sharedHome();
  const SMALL = ['--scale', '0.01', '--seeds', '1', '--model', 'offline', '--set', 'evaluation.sandbox=noop'];

  it('runs the ablation of a gate in small, and finds it again', async () => {
    const words = ['reproduce', 'alpharesearch', 'figure-6', ...SMALL];
    const made = await live.home.json(words);
    expect(made).toMatchObject({
      paper: 'alpharesearch',
      id: 'figure-6',
      scale: 0.01,
      answers: 'offline',
      seeds: [42],
    });
    expect(made.plan).toMatchObject({ runs: 3, programs: 12, costUsd: 0 });
    expect(made.cells).toHaveLength(3);
    for (const cell of made.cells) {
      expect(cell.ours).toMatchObject({ seeds: 1, programs: 4, costUsd: 0, runs: [expect.any(String)] });
      // Nothing was run, so nothing is compared.
      expect(cell).toMatchObject({ ours: { mean: null, best: null }, note: expect.stringContaining('invented') });
      expect(cell.ours.tokens).toBeGreaterThan(0);
    }
    const again = await live.home.json(words);
    expect(again.cells.map((cell: any) => cell.ours.runs)).toEqual(made.cells.map((cell: any) => cell.ours.runs));
    const report = await live.home.json(['sweep', 'report', made.sweep]);
    expect(report).toMatchObject({ status: 'finished', states: { finished: 3 } });
  });

  it('starts nothing in full size without --yes', async () => {
    const text = await live.must('reproduce', 'deltaevolve', 'table-1', '--model', 'offline');
    expect(text).toContain('Nothing was started: add --yes.');
    expect(text).toMatch(/45 runs \(15 configurations, 3 seeds\), 4,500 programs/);
    const listed = await live.home.json(['reproduce', '--list']);
    expect(listed).toEqual(listExperiments());
  });

  it.runIf(FULL)('runs a table of four methods on tasks of both directions', async () => {
    const words = ['reproduce', 'deltaevolve', 'table-2', ...SMALL, '--parallel', '4'];
    const run = (await live.home.json(words)).cells.filter((cell: any) => cell.ours !== null);
    // The two model families of the paper are one offline model, so their columns share their runs.
    expect(run).toHaveLength(40);
    expect(new Set(run.flatMap((cell: any) => cell.ours.runs)).size).toBe(20);
  });

  it.runIf(FULL)('evaluates programs, and prints scores of ours beside the paper', async () => {
    const words = ['reproduce', 'codeevolve', 'figure-14', '--scale', '0.01', '--seeds', '1', '--model', 'offline'];
    const { cells } = await live.home.json(words);
    expect(cells.map(({ row }: { row: string }) => row)).toEqual(['Cycle', 'Complete', 'Empty']);
    for (const { ours } of cells) {
      expect(ours).toMatchObject({ seeds: 1, programs: 10, sd: null });
      expect(ours.best).toEqual(expect.any(Number));
      expect(ours.best).toBe(ours.mean);
    }
  });
});
