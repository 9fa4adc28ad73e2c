// A run of a task whose evaluator calls the program: scored on public instances, its best on hidden ones beside it,
// through a kill of the sandbox in full.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rebuildRun } from '../../../activities/rebuild/rebuild.ts';
import { taskLoader } from '../../../activities/task/kept-task.ts';
import { holdoutKey } from '../../../evolution/scoring/evaluation.ts';
import { liveHome, sharedHome } from '../../support/machine/live.ts';
import { FULL } from '../../support/sizes.ts';

const TASKS = join(import.meta.dirname, '..', '..', '..', 'tasks');
const NAME = 'blackbox-optimization';

describe('a function task, end to end', () => {
  /** A kill disturbs other files. */
  const live = FULL ? liveHome('function') : sharedHome();
  const root = mkdtempSync(join(tmpdir(), 'evolve-function-'));
  const TASK = join(root, NAME);
  /** The task that ships, with a tenth of the evaluations: how a run scores its programs does not depend on them. */
  beforeAll(() => {
    cpSync(join(TASKS, NAME), TASK, { recursive: true });
    const file = join(TASK, 'task.yaml');
    const [whole, shorter] = ['budget: 1000', 'budget: 100'];
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(whole);
    writeFileSync(file, text.replace(whole, shorter));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('ends with a best that was run on hidden instances, which no model was told of', async () => {
    await live.must(
      'run',
      '--task',
      TASK,
      ...'--run called --seed 7 --steps 2 --batch 2 --responses 2 --detach'.split(' '),
    );
    await live.engine.seen('called', 'its initial program', ({ committedStep }) => committedStep >= 0, 120_000);
    if (FULL) await live.home.kill('sandbox');
    await live.engine.ended('called', 240_000);
    const { store } = live.engine;
    const document = await live.engine.document('called');
    expect(document).toMatchObject({ status: 'finished', stopReason: 'steps', totals: { programs: 8 } });
    expect(await rebuildRun({ store, loadTask: taskLoader(store) }, 'called')).toMatchObject({ differenceCount: 0 });

    const best = await live.home.json(['best', 'called']);
    expect(best.hidden).toMatchObject({
      outcome: 'valid',
      score: expect.any(Number),
      direction: 'maximise',
      initial: expect.any(Number),
    });
    expect(best.hidden.score).not.toBe(best.score);
    const { evaluation } = (await store.getPrograms([best.program])).get(best.program)!;
    expect((await store.getEvaluations([holdoutKey(evaluation!)])).get(holdoutKey(evaluation!))!.score).toBe(
      best.hidden.score,
    );
    const shown = (await live.must('show', best.program)).split('\n').find((line) => line.startsWith('hidden'))!;
    const told = (value: number): string => String(Number(value.toPrecision(10)));
    expect(shown).toContain(
      `score ${told(best.hidden.score)}, the larger the better, the initial program has ${told(best.hidden.initial)} there`,
    );
    const [row] = await live.home.json(['report', 'called']);
    expect(row).toMatchObject({
      hidden: best.hidden.score,
      hiddenInitial: best.hidden.initial,
      hiddenDirection: 'maximise',
    });
    // The hidden instances of a run stay the same when a person asks for them again.
    expect((await live.home.json(['best', 'called', '--hidden'])).hidden.score).toBe(best.hidden.score);

    for (const { id } of await live.home.programs('called')) {
      const { messages } = await live.home.json(['show', id]);
      expect(messages.length).toBeGreaterThan(0);
      // Prompts show ten digits: the first six of them, not rounded.
      expect(JSON.stringify(messages)).not.toContain(String(best.hidden.score).slice(0, 7));
    }
  });

  it('is scored by one command on variants of its instance, beside the rows of a paper', async () => {
    const file = join(TASKS, 'flow-shop', 'initial.py');
    const score = ['task', 'score', 'flow-shop'];
    const rows = await live.home.json([...score, file, '--instances', 'taillard-20x5,fixed-training', '--smoke']);
    expect(rows).toMatchObject([
      { instance: 'fixed-training', fixed: true, outcome: 'valid', score: expect.any(Number), table: null },
      {
        instance: 'taillard-20x5',
        fixed: true,
        outcome: 'valid',
        table: { title: 'CodeEvolve Table 5', values: { EoH: 0.09, 'CodeEvolve best': 0.02, 'CodeEvolve mean': 0.33 } },
      },
    ]);
    expect(rows[1].table.ours).toBe(rows[1].metrics.gap_to_upper_pct);
    // Upper bounds are of good searches, and this one has four iterations from NEH.
    expect(rows[1].table.ours).toBeGreaterThan(0);
    const named = await live.home.evolve([...score, file, '--instances', 'taillard-20x6']);
    expect(named.code).not.toBe(0);
    expect(named.stderr).toContain('--instances: expected all, tables, or names out of fixed-training, taillard-20x5');
    expect((await live.home.evolve([...score, file, '--run', 'function'])).stderr).toContain('got both');
  });

  it.runIf(FULL)('is scored on hidden instances when it is opened again, where it was stopped before', async () => {
    await live.must(
      'run',
      '--task',
      TASK,
      ...'--run stopped --seed 8 --steps 3 --batch 1 --responses 1 --detach'.split(' '),
    );
    await live.engine.seen('stopped', 'its initial program', ({ committedStep }) => committedStep >= 0, 120_000);
    await live.must('stop', 'stopped', '--now');
    await live.engine.ended('stopped', 60_000);
    await live.must('resume', 'stopped');
    await live.engine.seen('stopped', 'its end', ({ status }) => status === 'finished', 240_000);
    expect((await live.home.json(['best', 'stopped'])).hidden).toMatchObject({ outcome: 'valid' });
  });
});
