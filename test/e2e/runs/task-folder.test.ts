// A task that is in no tasks/: made, searched, and gone from the disk while its run is under way.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { liveHome, sharedHome } from '../../support/machine/live.ts';
import { FULL } from '../../support/sizes.ts';
import { expectWhole } from '../../support/machine/whole.ts';

/** Lines of an evaluator that import the program of this path. */
const loadFrom = (path: string): string => `    spec = importlib.util.spec_from_file_location("program", ${path})
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
`;

describe('a task in a folder anywhere', () => {
  /** A kill disturbs other files. */
  const live = FULL ? liveHome('folder') : sharedHome();
  const root = mkdtempSync(join(tmpdir(), 'evolve-task-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, 'mine', 'my-task');

  it('runs, and goes on after its folder was edited, and after it was removed', async () => {
    expect(await live.must('task', 'new', 'my-task', '--into', join(root, 'mine'))).toContain(
      `npx evolve run --task ${folder}`,
    );
    await live.must('run', '--task', folder, ...'--run one --seed 3 --steps 2 --batch 2 --responses 2'.split(' '));
    const begun = await live.engine.document('one');
    expect(begun).toMatchObject({
      status: 'finished',
      config: { task: folder },
      taskSnapshot: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(begun.totals.valid).toBeGreaterThan(0);

    appendFileSync(join(folder, 'evaluator.py'), '\nraise SystemExit("edited")\n');
    await live.must('extend', 'one', '--steps', '3');
    await live.engine.ended('one');
    const findings = await live.home.json(['doctor', 'one']);
    expect(JSON.stringify(findings)).toContain(
      `${folder} has changed since the run began; the run goes on with the task as it was then`,
    );

    rmSync(folder, { recursive: true });
    if (FULL) {
      await live.home.kill('worker');
      await live.home.kill('sandbox');
    }
    await live.must('extend', 'one', '--steps', '5');
    const ended = await live.engine.ended('one', 180_000);
    expect(ended).toMatchObject({ status: 'finished', committedStep: 5, taskSnapshot: begun.taskSnapshot });
    const programs = await expectWhole(live.engine.store, 'one', { steps: 5, perStep: 4 });
    expect(programs.filter(({ step, outcome }) => step > 2 && outcome === 'valid').length).toBeGreaterThan(0);
    expect((await live.home.json(['status', 'one'])).task).toBe('my-task');

    await live.must('fork', 'one', '--at-step', '4', '--run', 'fork', '--steps', '6');
    expect(await live.engine.document('fork')).toMatchObject({
      status: 'finished',
      committedStep: 6,
      taskSnapshot: begun.taskSnapshot,
    });
    expect(await live.home.json(['report', 'one', 'fork'])).toHaveLength(2);
  }, 400_000);

  it('evaluates in stages, and repeats none after a kill', async () => {
    const staged = join(root, 'staged');
    mkdirSync(staged);
    const put = (name: string, text: string): void => writeFileSync(join(staged, name), text);
    put('initial.py', 'def size():\n    return 3\n');
    put(
      'evaluator.py',
      `# direction: maximise
import importlib.util, time
def score(path):
${loadFrom('path')}    size = float(program.size())
    return {"score": size, "artifacts": {"sizes": [{"n": 1, "size": size}], "log": "\\x1b[31m" + "x" * 100_000_000,
        "plot.png": b"\\x89PNG\\r\\n\\x1a\\n" + bytes(400_000)}}
def evaluate_stage1(path):
    return score(path)
def evaluate(path):
    time.sleep(${FULL ? 5 : 0})
    return score(path)
`,
    );
    put(
      'task.yaml',
      'kind: script\ndirection: maximise\nstages: [{name: quick, function: evaluate_stage1, threshold: 3}]\n',
    );
    const size = '--run staged --seed 5 --steps 2 --batch 2 --responses 2 --detach'.split(' ');
    await live.must('run', '--task', staged, ...size);
    if (FULL) {
      await live.engine.seen('staged', 'its initial program', ({ committedStep }) => committedStep >= 0, 120_000);
      await live.home.kill('sandbox');
    }
    await live.engine.ended('staged', 240_000);
    await expectWhole(live.engine.store, 'staged', { steps: 2, perStep: 4 });
    const programs = (await live.must('programs', 'staged', '--json')).trim().split('\n');
    const shown = [];
    for (const line of programs) shown.push(await live.home.json(['show', (JSON.parse(line) as { id: string }).id]));
    const looked = shown.filter(({ stages }) => (stages as unknown[]).length > 0);
    expect(looked.length).toBeGreaterThan(0);
    for (const { stages, outcome } of looked) expect(stages).toHaveLength(outcome === 'valid' ? 2 : 1);
    // What the evaluator showed is cut, kept, shown, and told to whoever changes the program.
    const id = String(looked[0]!._id);
    expect(looked[0]!.artifacts).toMatchObject([
      { name: 'sizes', kind: 'table', text: expect.stringMatching(/^n\tsize\n1\t\d/) },
      { name: 'log', kind: 'text', text: expect.stringMatching(/x\n\[cut: 100000005 characters came\]$/) },
      { name: 'plot.png', kind: 'png' },
    ]);
    const lines = await live.must('show', id);
    expect(lines).toMatch(/^showed +sizes \(table, 2 lines\)\n +n\tsize\n/m);
    expect(lines).not.toContain('\u001b');
    expect(await live.must('show', id, '--artifact', 'sizes')).toMatch(/^n\tsize\n1\t/);
    expect(await live.home.json(['show', id, '--artifact', 'sizes'])).toMatchObject({ name: 'sizes', kind: 'table' });
    const told = shown.map(({ user }) => String(user)).filter((user) => user.includes('What its evaluation showed'));
    expect(told.length).toBeGreaterThan(0);
    expect(looked.find(({ outcome }) => outcome === 'valid')).toMatchObject({
      stages: [
        { name: 'quick', passed: true },
        { name: 'whole', passed: true },
      ],
    });
  }, 400_000);

  it('is two files and a CSV: scored first, then searched, with its level on the run', async () => {
    const own = join(root, 'Two Files');
    mkdirSync(own);
    const put = (name: string, text: string): void => writeFileSync(join(own, name), text);
    put('data.csv', 'x,y\n0,1\n1,3\n2,5\n');
    put('initial.py', 'def predict(x):\n    return 1.5 * x + 0.5\n');
    put(
      'evaluator.py',
      `# direction: minimise
import csv, importlib.util
def evaluate(program_path):
${loadFrom('program_path')}    rows = [(float(row["x"]), float(row["y"])) for row in csv.DictReader(open("data.csv"))]
    return sum((program.predict(x) - y) ** 2 for x, y in rows) / len(rows)
`,
    );
    const size = ['--steps', '2', '--batch', '2', '--responses', '2', '--seed', '5'];
    const files = [join(own, 'evaluator.py'), join(own, 'initial.py')];
    const told = await live.must('run', ...files, ...size, '--run', 'two-files');
    expect(told).toContain('1.1666');
    expect(await live.engine.document('two-files')).toMatchObject({
      status: 'finished',
      trust: 'runnable',
      config: { task: own },
    });
    const status = await live.home.json(['status', 'two-files']);
    expect(status).toMatchObject({ task: 'two-files', level: 'runnable' });
    expect((status.best as { score: number }).score).toBeLessThanOrEqual(1.1667);
    expect(await live.must('status', 'two-files')).toMatch(/^level +runnable: the evaluator runs beside the program/m);
    expect(await live.home.json(['task', 'check', own])).toMatchObject({
      ok: true,
      level: 'runnable',
      next: 'an evaluator apart from the program: kind: solution or kind: function',
    });
    put('initial.py', 'def predict(x):\n    return 1 / 0\n');
    const refused = await live.home.evolve(['run', own, '--run', 'never']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'The initial program has no score: ZeroDivisionError: division by zero (initial.py, line 2)',
    );
  }, 400_000);

  it("is named in a sweep's file relative to that, and runs are refused by what their folder lacks", async () => {
    await live.must('task', 'new', 'swept', '--into', join(root, 'mine'));
    writeFileSync(
      join(root, 'few.yaml'),
      'name: few\nbase:\n  task: mine/swept\n  batch: 2\n  responses: 2\n  limits: {steps: 1}\n  evaluation: {sandbox: noop}\nseeds: [1, 2]\n',
    );
    await live.must('sweep', join(root, 'few.yaml'));
    const sweep = (await live.engine.store.readSweep('few'))!;
    const runs = await Promise.all(sweep.runs.map(({ run }) => live.engine.document(run)));
    expect(runs.map(({ config, status }) => [config.task, status])).toEqual(
      [1, 2].map(() => [join(root, 'mine', 'swept'), 'finished']),
    );
    expect(new Set(runs.map(({ taskSnapshot }) => taskSnapshot)).size).toBe(1);

    const refused = await live.home.evolve(['run', '--task', root]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`expected the folder of a task, got ${root}, which lacks task.yaml, evaluator.py`);
  }, 240_000);
});
