// A run whose evaluator or initial program is broken: step 0 says so in the evaluator's words, and is done again with
// the task as it was mended, as long as the run has no valid program.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { evaluationKey } from '../../../../activities/step/evaluate/evaluate.ts';
import { programId } from '../../../../evolution/ids.ts';
import { TASKS_ROOT } from '../../../../activities/task/load-task.ts';
import { BROKEN, run, world } from '../../../support/worlds/world.ts';

const ID = 'circle-packing-square-26';
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'first-step-'));
  for (const folder of [ID, 'library']) await cp(join(TASKS_ROOT, folder), join(root, folder), { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const evaluator = (): string => join(root, ID, 'evaluator.py');
const breakIt = async (): Promise<void> =>
  writeFile(evaluator(), `${await readFile(evaluator(), 'utf8')}\n# ${BROKEN}\n`);
const mendIt = async (): Promise<void> =>
  writeFile(evaluator(), (await readFile(evaluator(), 'utf8')).replace(BROKEN, 'mended'));
const broken = async (settings: object = {}) => {
  await breakIt();
  const it = world(undefined, undefined, root);
  const config = { task: ID, batch: 2, responses: 6, seed: 3, limits: { steps: 2 }, ...settings };
  await it.call(it.activities.openRun, { run, owner: 'first', config });
  const failure = await it.step(0, true).then(
    () => null,
    (error: Error) => error,
  );
  return { ...it, failure, document: async () => (await it.store.readRun(run))! };
};
/** Step 0 is planned and done again, as a person's retry does it. */
const retry = (it: Awaited<ReturnType<typeof broken>>) => it.step(0, true, 0, 'first');

test("it fails with the evaluator's words, and with the way on", async () => {
  const { failure, document } = await broken();
  expect(failure).toMatchObject({ type: 'NoValidStart', nonRetryable: true });
  expect(failure!.message).toContain(
    `the initial program of ${ID} is not valid: the evaluator failed: ValueError: half | line 3 | \\u{1B}[31mValueError: half`,
  );
  expect(failure!.message).toContain(`Mend the task in tasks/${ID} and retry`);
  expect(failure!.message).not.toMatch(/[\u0000-\u001f]/);
  expect(await document()).toMatchObject({ committedStep: -1, best: null });
});

test('mended, it is done again with the task as it is now; once a program is valid, the task stays', async () => {
  const it = await broken();
  const before = await it.document();
  await expect(retry(it)).rejects.toThrow('not valid');
  await mendIt();
  expect(await retry(it)).toMatchObject({ step: 0, best: { step: 0 } });
  const { taskSnapshot, evaluatorDigest, taskDigest } = await it.document();
  expect([taskSnapshot, evaluatorDigest, taskDigest]).not.toEqual([
    before.taskSnapshot,
    before.evaluatorDigest,
    before.taskDigest,
  ]);
  await breakIt();
  await it.step(1, true);
  expect(await it.document()).toMatchObject({ committedStep: 1, taskSnapshot });
  await expect(
    it.call(it.activities.openRun, { run, owner: 'other', rewind: { toStep: 0, resample: false } }),
  ).rejects.toThrow('expected 1 to 1, the last committed step of run r, got 0. Step 0 is done again only while');
});

test('it is evaluated afresh where the task is as it was, and every result stays readable', async () => {
  const it = await broken();
  const evaluated = it.evaluated();
  await expect(retry(it)).rejects.toThrow('not valid');
  expect(it.evaluated()).toBe(evaluated + 1);
  const { epochs, evaluatorDigest, config } = await it.document();
  const [delta] = (await it.store.getDeltas([programId(run, 0, 0, 0)])).values();
  const keys = [{}, ...epochs.map(({ epoch }) => ({ attempt: epoch }))].map((attempt) =>
    evaluationKey({ normHash: delta!.normHash, ...attempt }, { run, evaluatorDigest, config }),
  );
  expect([...(await it.store.getEvaluations(keys)).keys()].sort()).toEqual(keys.sort());
});

test('a task that cannot be used any more, or counts the other way round, is refused and changes nothing', async () => {
  const it = await broken();
  const file = join(root, ID, 'task.yaml');
  const text = await readFile(file, 'utf8');
  const [before, { generation }] = [text, await it.document()];
  for (const [wrong, words] of [
    [text.replace('direction: maximise', 'direction: minimise'), 'expected direction: maximise'],
    [`${text}\nnonsense: 1\n`, 'nonsense'],
  ] as const) {
    expect(wrong).not.toBe(before);
    await writeFile(file, wrong);
    await expect(retry(it)).rejects.toMatchObject({ type: 'NoValidStart', message: expect.stringContaining(words) });
  }
  expect(await it.document()).toMatchObject({ epochs: [], committedStep: -1 });
  await writeFile(file, text);
  await mendIt();
  await retry(it);
  expect((await it.document()).generation).toBeGreaterThan(generation);
});

test('a run without a valid start goes on where its settings say so, and can go back to step 0', async () => {
  const it = await broken({ evaluation: { invalidStart: 'accept' }, population: { admitFailures: true } });
  expect(it.failure).toBeNull();
  await it.step(1, false);
  const before = await it.document();
  expect(before).toMatchObject({ committedStep: 1, best: null });
  await mendIt();
  const opened = await it.call(it.activities.openRun, {
    run,
    owner: 'second',
    rewind: { toStep: 0, resample: false, by: 'update' },
  });
  expect(opened).toMatchObject({ committedStep: -1 });
  await it.step(0, true, 0, 'second');
  await it.step(1, true, 0, 'second');
  const after = await it.document();
  expect(after.best).not.toBeNull();
  expect(after.totals.valid).toBeGreaterThan(0);
  expect(after.setAside.map(({ step }) => step)).toEqual([1]);
  expect((await it.store.supersededSteps(run)).map(({ step }) => step)).toEqual([0, 1]);
});
