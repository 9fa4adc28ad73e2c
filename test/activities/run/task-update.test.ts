// A new version of a run's task in mid-run: one step scores the living programs and the bests again, or it is refused and
// nothing has changed. Every activity is repeated, as by an engine that lost its answer.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rebuildRun } from '../../../activities/rebuild/rebuild.ts';
import { TASKS_ROOT } from '../../../activities/task/load-task.ts';
import { taskLoader } from '../../../activities/task/kept-task.ts';
import { comparableWith } from '../../../activities/store/documents/lineage.ts';
import { scoredAgain } from '../../../client/tasks/scored-again.ts';
import { programsOf } from '../../support/worlds/conducted.ts';
import { BROKEN, run, TURNED, world } from '../../support/worlds/world.ts';

const ID = 'circle-packing-square-26';
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'task-update-'));
  for (const folder of [ID, 'library']) await cp(join(TASKS_ROOT, folder), join(root, folder), { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const edit = async (file: string, change: (text: string) => string): Promise<void> => {
  const path = join(root, ID, file);
  await writeFile(path, change(await readFile(path, 'utf8')));
};
const turn = () => edit('evaluator.py', (text) => `${text}\n${TURNED}\n`);
const settings = { task: ID, batch: 2, responses: 6, seed: 3, limits: { steps: 9 }, population: { islands: 2 } };

/** Two steps are committed. */
const begun = async (more: object = {}) => {
  const it = world(undefined, undefined, root);
  await it.call(it.activities.openRun, { run, owner: 'first', config: { ...settings, ...more } });
  for (const step of [0, 1, 2]) await it.step(step, true);
  return {
    ...it,
    programs: () => programsOf(it.store),
    document: async () => (await it.store.readRun(run))!,
    update: () => it.call<{ at: string; step: number }>(it.activities.updateTask, { run }),
    rebuilt: () => rebuildRun({ store: it.store, loadTask: taskLoader(it.store, root) }, run),
  };
};

test('one step scores everyone who is alive and every best again, and the ranking is by the new scores', async () => {
  const it = await begun();
  const before = await it.document();
  const alive = [...(await it.store.population(run)).members.keys()];
  await turn();
  expect(await it.update()).toMatchObject({ step: 2 });
  expect((await it.document()).evaluatorDigest).toBe(before.evaluatorDigest);
  const evaluated = it.evaluated();
  await it.step(3, true);

  const after = await it.document();
  const again = (await it.programs()).filter(({ step }) => step === 3);
  expect(new Set(again.flatMap(({ rescored }) => rescored?.of ?? []))).toEqual(
    new Set([...alive, before.best!.program]),
  );
  expect(it.evaluated()).toBe(evaluated + new Set(again.map(({ evaluation }) => evaluation)).size);
  const old = new Map((await it.programs()).map((program) => [program._id, program]));
  for (const { rescored, score, outcome } of again)
    if (outcome === 'valid') expect(score).toBe(10 - old.get(rescored!.of!)!.score!);
  expect(again.some(({ outcome }) => outcome === 'invalid')).toBe(true);
  const fits = again.flatMap(({ fit }) => fit ?? []);
  expect(after).toMatchObject({
    committedStep: 3,
    totals: { programs: before.totals.programs, valid: before.totals.valid, sinceBest: 0 },
    best: { step: 3, score: Math.max(...fits) },
    population: { best: { fit: Math.max(...fits) }, generations: before.population.generations },
  });
  expect(after.evaluatorDigest).not.toBe(before.evaluatorDigest);
  // Scores compare within a version of the task alone.
  expect([0, 2, 3, 4].map((step) => comparableWith(after, step))).toEqual([
    ...[
      [0, 3],
      [0, 3],
    ],
    ...[
      [3, null],
      [3, null],
    ],
  ]);
  const members = [...(await it.store.population(run)).members.keys()];
  expect(members.every((id) => again.some(({ _id, outcome }) => _id === id && outcome === 'valid'))).toBe(true);
  expect((await it.rebuilt()).differences).toEqual([]);

  const { rescored, kept, changed } = await scoredAgain(it.store, after, 3);
  expect([rescored, kept]).toEqual([again.length, fits.length]);
  expect(changed.find(({ program }) => program === before.best!.program)).toMatchObject({ before: before.best!.score });

  await it.step(4, true);
  const made = (await it.programs()).filter(({ step }) => step === 4);
  expect(made.flatMap(({ parents }) => parents).every((id) => members.includes(id))).toBe(true);
  expect((await it.rebuilt()).differences).toEqual([]);
});

test('another limit alone scores everyone again too', async () => {
  const it = await begun();
  await edit('task.yaml', (text) => text.replace('cpuSeconds: 70', 'cpuSeconds: 60'));
  await it.update();
  const evaluated = it.evaluated();
  await it.step(3, true);
  const again = (await it.programs()).filter(({ step }) => step === 3);
  expect(it.evaluated()).toBe(evaluated + new Set(again.map(({ evaluation }) => evaluation)).size);
});

test('a version by which the initial program is not valid is refused, and the step is an ordinary one', async () => {
  const it = await begun();
  const before = await it.document();
  await edit('evaluator.py', (text) => `${text}\n# ${BROKEN}\n`);
  await it.update();
  expect(await it.step(3, true)).toMatchObject({ step: 2, best: before.best });
  const kept = await it.document();
  expect(kept.rescorings).toMatchObject([
    { refused: expect.stringContaining('the initial program is not valid under') },
  ]);
  const { taskSnapshot, taskDigest, evaluatorDigest, population, best, totals } = before;
  expect(kept).toMatchObject({ committedStep: 2, taskSnapshot, taskDigest, evaluatorDigest, population, best, totals });
  expect(await it.step(3, true)).toMatchObject({ step: 3 });
  expect((await it.document()).totals.programs).toBe(before.totals.programs + 12);
  expect((await it.rebuilt()).differences).toEqual([]);
});

test('a rewind to before it brings the old version back, and the step scores again when it comes again', async () => {
  const it = await begun();
  const before = await it.document();
  await turn();
  await it.update();
  await it.step(3, true);
  const scored = await it.document();
  await it.call(it.activities.openRun, { run, owner: 'other', rewind: { toStep: 2, resample: false } });
  expect(await it.document()).toMatchObject({ committedStep: 1, evaluatorDigest: before.evaluatorDigest });
  const evaluated = it.evaluated();
  for (const step of [2, 3]) await it.step(step, true, 0, 'other');
  const { best, population, evaluatorDigest } = scored;
  expect(await it.document()).toMatchObject({ committedStep: 3, best, population, evaluatorDigest });
  expect(it.evaluated()).toBe(evaluated);

  for (const [step, digest] of [
    [2, before.evaluatorDigest],
    [3, evaluatorDigest],
  ] as const) {
    const fork = `fork-${step}`;
    await it.call(it.activities.openRun, { run: fork, owner: 'f', fork: { from: run, atStep: step } });
    expect((await it.store.readRun(fork))!.evaluatorDigest).toBe(digest);
  }
});

test('what makes no sense is refused in one sentence, and changes nothing', async () => {
  const it = await begun();
  await expect(it.update()).rejects.toThrow('task update: the task is as the run has it already');
  const initial = await readFile(join(root, ID, 'initial.py'), 'utf8');
  await writeFile(join(root, ID, 'initial.cpp'), initial.replaceAll('# EVOLVE', '// EVOLVE'));
  for (const [key, was, is] of [
    ['direction: maximise', 'direction as before (maximise)', 'minimise'],
    ['entry: construct', 'entry as before (construct)', 'make'],
    ['kind: solution', 'language as before (python)', 'cpp'],
  ] as const) {
    const other = was.startsWith('language') ? `${key}\nlanguage: ${is}` : `${key.split(' ')[0]} ${is}`;
    await edit('task.yaml', (text) => text.replace(key, other));
    await expect(it.update()).rejects.toThrow(`expected ${was}, got ${is}`);
    await edit('task.yaml', (text) => text.replace(other, key));
  }
  await rm(join(root, ID, 'initial.py'));
  await mkdir(join(root, ID, 'initial'));
  for (const file of ['main.py', 'more.py']) await writeFile(join(root, ID, 'initial', file), initial);
  await expect(it.update()).rejects.toThrow('expected files as before (one file), got main.py, more.py');
  await edit('task.yaml', (text) => `${text}\nnonsense: 1\n`);
  await expect(it.update()).rejects.toThrow('nonsense');
  expect((await it.document()).rescorings).toBeUndefined();
});
