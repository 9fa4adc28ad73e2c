// A new version of a run's task in mid-run, on real parts: workers are killed while programs are scored again, nothing
// is evaluated twice and nothing is lost; a version that is no good is refused and the run goes on.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { rebuildRun } from '../../../activities/rebuild/rebuild.ts';
import { taskLoader } from '../../../activities/task/kept-task.ts';
import type { ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import { endpointFor, liveHome } from '../../support/machine/live.ts';
import { until } from '../../support/machine/home.ts';
import { collect } from '../../activities/store/fixtures.ts';

describe('a new version of the task in mid-run', () => {
  const live = liveHome('update');
  const root = mkdtempSync(join(tmpdir(), 'evolve-update-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, 'mine');
  const size = '--seed 3 --batch 2 --responses 4'.split(' ');
  const evaluator = join(folder, 'evaluator.py');
  /** The evaluator of the version that `task new` made, with a line before it gives its result. */
  const put = (whole: string, lines: string): void => writeFileSync(evaluator, `${whole}\n${lines}`);
  const programsOf = (run: string): Promise<readonly ProgramDocument[]> => collect(live.engine.store.eachProgram(run));
  const expectRebuilt = async (run: string): Promise<void> => {
    const { store } = live.engine;
    expect(await rebuildRun({ store, loadTask: taskLoader(store) }, run)).toMatchObject({ differences: [] });
  };

  it('scores everyone alive again through kills, once, and goes on by the new scores', async () => {
    await live.must('task', 'new', 'mine', '--into', root);
    const whole = readFileSync(evaluator, 'utf8');
    await live.must('run', '--task', folder, '--run', 'one', '--steps', '2', ...size);
    const before = await live.engine.document('one');
    put(
      whole,
      'first = evaluate\ndef evaluate(*given):\n    import time\n    time.sleep(1)\n    result = first(*given)\n    result["score"] = result["score"] and result["score"] / 2\n    return result\n',
    );
    expect(await live.home.json(['task', 'update', 'one'])).toMatchObject({ waits: true, step: 2 });
    const alive = [...(await live.engine.store.population('one')).members.keys()];
    expect(alive.length).toBeGreaterThan(2);
    await live.must('extend', 'one', '--steps', '4');
    const { after } = (await live.engine.document('one')).rescorings![0]!;
    const codes = new Map((await live.engine.store.getPrograms(alive)).entries());
    const keys = [...new Set([...codes.values()].map(({ evaluation }) => evaluation!))].map((key) =>
      key.replace(before.evaluatorDigest.slice(0, 32), after.evaluatorDigest.slice(0, 32)),
    );
    const scored = () => live.engine.store.getEvaluations(keys);
    await until('a score by the new version', 120_000, async () => (await scored()).size > 0);
    const early = await scored();
    expect(early.size).toBeLessThan(keys.length);
    await live.home.kill('sandbox');
    await live.home.kill('worker');
    const ended = await live.engine.ended('one', 240_000);
    expect(ended).toMatchObject({ status: 'finished', committedStep: 4, evaluatorDigest: after.evaluatorDigest });
    const late = await scored();
    expect(late.size).toBe(keys.length);
    for (const [key, evaluation] of early) expect(late.get(key)).toEqual(evaluation);

    const programs = new Map((await programsOf('one')).map((program) => [program._id, program]));
    const again = [...programs.values()].filter(({ rescored }) => rescored !== undefined);
    expect(new Set(again.map(({ step }) => step))).toEqual(new Set([3]));
    expect(new Set(again.map(({ rescored }) => rescored!.of))).toEqual(new Set([...alive, before.best!.program]));
    for (const { score, rescored } of again) expect(score).toBeCloseTo(programs.get(rescored!.of!)!.score! / 2, 12);
    expect(programs.get(ended.best!.program)!.step).toBeGreaterThanOrEqual(3);
    await expectRebuilt('one');
    expect(await live.must('status', 'one')).toMatch(/^task +scored again in step 3 by a new version/m);
    expect(await live.must('show', again[1]!._id)).toContain(
      `scored again by the new version of the task: ${again[1]!.rescored!.of}`,
    );

    const folderOf = join(root, 'export');
    await live.must('export', 'one', '--to', folderOf);
    await live.must('fork', 'one', '--at-step', '2', '--run', 'old', '--steps', '3');
    expect(await live.engine.ended('old')).toMatchObject({ evaluatorDigest: before.evaluatorDigest, committedStep: 3 });
    await expectRebuilt('old');
  }, 600_000);

  it('is refused where it is no good, by an open run that goes on; the next one is not', async () => {
    const whole = readFileSync(evaluator, 'utf8').split('\nfirst = evaluate')[0]!;
    put(whole, '');
    // All that it makes meanwhile is scored again.
    const { url } = await endpointFor({ latencyMs: 500 });
    await live.engine.start('two', {
      task: folder,
      ...{ seed: 3, batch: 2, responses: 4, limits: { steps: 2000 }, model: { name: 'small', baseUrl: url } },
    });
    await live.engine.seen('two', 'at step 2', ({ committedStep }) => committedStep >= 2);
    const before = await live.engine.document('two');
    put(whole, 'def evaluate(*given):\n    raise ValueError("half a word")\n');
    const refused = await live.home.evolve(['task', 'update', 'two']);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the initial program is not valid under it'),
    });
    const { evaluatorDigest, taskSnapshot } = before;
    expect(await live.engine.document('two')).toMatchObject({ evaluatorDigest, taskSnapshot });
    put(whole, 'first = evaluate\ndef evaluate(*given):\n    return {**first(*given), "score": 1.0}\n');
    const updated = await live.home.json(['task', 'update', 'two']);
    expect(updated.changed.length).toBeGreaterThan(0);
    expect(updated).toMatchObject({ rescored: expect.any(Number), best: { score: 1 }, changed: expect.any(Array) });
    await live.must('stop', 'two');
    await live.engine.ended('two');
    await expectRebuilt('two');
  }, 400_000);
});
