// An experiment of a paper in small, from the command line to the paper's numbers beside ours; a second call finds what
// the first one made.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { listedExperiments, listExperiments } from '../../../client/papers/experiments.ts';
import { type Live, liveHome, sharedHome } from '../../support/machine/live.ts';
import { FULL } from '../../support/sizes.ts';
import { TRAINER_PYTHON } from '../../support/machine/trainer-python.ts';

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
    expect(listed.map(Object.keys)).toContainEqual(['paper', 'item', 'file', 'why', 'differs', 'incomparable']);
    const plan = await live.home.json(['reproduce', 'deltaevolve', 'table-1', '--plan']);
    expect(plan).toMatchObject({ costUsd: 0, arms: [{ name: 'Standard', differsFromFirst: {} }, {}, {}] });
    expect(plan.arms[1].differsFromFirst).toEqual({ 'prompt.scores': ['shown', 'masked'] });
  });
});

const folder = mkdtempSync(join(tmpdir(), 'evolve-figures-'));
afterAll(() => rmSync(folder, { recursive: true }));
const SHORT = ['alpharesearch figure-6', 'alpharesearch figure-4', 'codeevolve figure-14'];
const learning = new Set(listExperiments().flatMap((one) => (one.needsLearning ? [`${one.paper} ${one.id}`] : [])));
/** With 50 runs of four programs the longest has a quarter of an hour on two cores of its own. */
const LONGEST_MS = 7_200_000;

/** `learn`: the experiments with rows that learn, which need a trainer; all others else. */
const inSmall = (live: Live, learn: boolean): void => {
  const chosen = listedExperiments()
    .map(({ paper, id, reads }) => ({ paper, id, reads }))
    .filter(({ paper, id }) => (FULL ? learning.has(`${paper} ${id}`) === learn : SHORT.includes(`${paper} ${id}`)));
  it.each(chosen)('$paper $id in small comes to its table and its figure', { timeout: LONGEST_MS }, async (one) => {
    const { paper, id, reads } = one;
    const svg = join(folder, `${paper}-${id}.svg`);
    const size = ['--scale', '0.0001', '--seeds', '1', '--model', 'offline', '--parallel', '2', '--svg', svg];
    const made = await live.home.json(['reproduce', paper, id, ...size]);
    const own = made.cells.filter(({ ours }: any) => ours !== null);
    expect(own.length).toBeGreaterThan(0);
    for (const { ours } of own) expect(ours.programs).toBeGreaterThan(0);
    expect(made.figure.panels.length).toBeGreaterThan(0);
    expect(made.differs).toContain("The offline model answers, and not the paper's models.");
    const drawn = readFileSync(svg, 'utf8');
    for (const { title, lines } of made.figure.panels)
      for (const text of [title, ...lines.map(({ name }: any) => name)]) expect(drawn).toContain(text.slice(0, 8));
    expect(drawn).not.toMatch(/NaN|undefined|Infinity/);
    // It ends with 1 where none of its few programs is valid.
    const text = (await live.home.evolve(['reproduce', paper, id, ...size])).stdout;
    expect(text).toContain('What differs from the paper:');
    expect(text).toContain(`Figure: ${svg}`);
    if (reads === undefined) expect(text).toContain('Cost of its runs: $0.');
  });
};

describe('experiments', () => {
  inSmall(sharedHome(), false);
});

if (FULL)
  describe.skipIf(TRAINER_PYTHON === null)('experiments that learn', () => {
    inSmall(liveHome('reproduce'), true);
  });
