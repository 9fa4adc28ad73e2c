// Programs of steps that are not committed: what people see of them is what the commit stores, in runs of every method
// and in streams; and the lines of `status` and `list` that tell of them.
import { expect, test } from 'vitest';
import { progressBlock } from '../../../cli/terminal/progress.ts';
import { runTable } from '../../../cli/terminal/run-table.ts';
import { programLine, runReport } from '../../../client/read/report.ts';
import { uncommittedOf, uncommittedProgram, withUncommitted } from '../../../client/read/uncommitted.ts';
import type { ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import type { OpenStep } from '../../../page/api/run/open-step.ts';
import { glanceAnswers } from '../../../page/server/routes/overview.ts';
import { METHOD_NAMES } from '../../../evolution/config/names.ts';
import { answersOver } from '../../support/page/in-tests.ts';
import { watchState } from '../../support/domain/run-document.ts';
import { codeWorld, programsOf, run } from '../../support/worlds/code-world.ts';
import { research } from '../../support/worlds/research-world.ts';
import { playStream } from '../../support/worlds/stream-world.ts';

type World = ReturnType<typeof codeWorld> | ReturnType<typeof research>;
const scoreOf = (code: string): number | null => Number(/middle_x = (0\.\d+)/.exec(code)?.[1] ?? Number.NaN) || null;
const documentOf = async ({ store }: World) => (await store.readRun(run))!;

/** What is uncommitted just before each commit, by the step that is committed. */
const watched = (world: World): Map<number, readonly ProgramDocument[]> => {
  const seen = new Map<number, readonly ProgramDocument[]>();
  const { commitStep } = world.activities;
  world.activities.commitStep = async (order) => {
    seen.set(order.step, await uncommittedOf(world.store, await documentOf(world)));
    return commitStep(order);
  };
  return seen;
};

test.each(METHOD_NAMES)(
  'all programs of a step of %s are seen before its commit, as it stores them',
  async (method) => {
    const world: World =
      method === 'research'
        ? research({}, { responses: 2 })
        : codeWorld(
            { method, batch: 3, responses: 2, ...(method === 'code' ? { population: { islands: 2 } } : {}) },
            { score: scoreOf, repair: () => '', notes: () => 'Notes.', novelty: () => 'NOVEL' },
          );
    const seen = watched(world);
    await world.open();
    for (let step = 0; step <= 3; step++) await world.step(step);
    const programs = await programsOf(world.store);
    for (const step of [1, 2, 3]) {
      const committed = programs.filter((program) => program.step === step);
      expect(committed.length).toBeGreaterThan(0);
      expect(seen.get(step)).toEqual(committed);
    }
    // Nothing is planned after the last commit.
    expect(await uncommittedOf(world.store, await documentOf(world))).toEqual([]);
  },
);

test('the finished programs of a stream are seen before their steps', async () => {
  const world = codeWorld(
    { schedule: 'continuous', batch: 3, responses: 2, inFlight: 6, population: { islands: 2 } },
    { score: scoreOf },
  );
  await world.open();
  await playStream(world, { steps: 9, turn: (open) => open.length - 1, killedAfter: 8 });
  const [before, document] = [await programsOf(world.store), await documentOf(world)];
  const open = await uncommittedOf(world.store, document);
  // Eight groups of two are finished, and each step has taken three of them.
  expect(before.filter(({ step }) => step > 0).length + open.length).toBe(16);
  expect(open.length).toBe(4);
  await playStream(world, { steps: 9, turn: () => 0 });
  const later = new Map((await programsOf(world.store)).map((program) => [program._id, program]));
  for (const { _id, outcome, score } of open) expect(later.get(_id)).toMatchObject({ outcome, score });
});

test('status, list, programs and show tell of a step that is under way, and mark it as not committed', async () => {
  const world = codeWorld({ batch: 2, responses: 1 }, { score: scoreOf });
  await world.open();
  await world.step(0);
  // The second group of step 1 has no answer yet.
  const { planStep, generate, applyResponses, evaluate } = world.activities;
  const plan = await world.call(planStep, { run, step: 1, owner: 'first' });
  const ref = { run, step: 1, epoch: plan.epoch, version: plan.version };
  const { stored } = await world.call(generate, { ...ref, group: 0, first: 0, count: 1, responses: 1 });
  const [id] = [`${run}:000001:0:000000`];
  const stands = async () => (await withUncommitted(world.store, [await documentOf(world)]))[0]!;
  expect((await stands()).uncommitted).toBeUndefined();
  await world.call(applyResponses, { ...ref, slots: stored, final: stored });
  // It is to be evaluated.
  expect((await stands()).uncommitted).toBeUndefined();
  await world.call(evaluate, { ...ref, slots: stored });

  const standing = await stands();
  const program = (await uncommittedProgram(world.store, id))!;
  const better = program.fit! > (standing.best?.score ?? 0);
  expect(standing.uncommitted).toMatchObject({ programs: 1, valid: 1, best: better ? { program: id } : null });
  expect(programLine(program, { committed: false })).toMatchObject({ id, committed: false, score: program.score });
  expect(programLine(program)).not.toHaveProperty('committed');

  const seen = { step: 1, sinceMs: null, counts: null, work: [], atMs: 0 };
  const page = answersOver(world.store, [glanceAnswers], `/runs/${run}/`, { openStep: async () => seen });
  expect((await page.json<OpenStep>('open-step')).made).toMatchObject({ programs: 1, valid: 1 });

  const { uncommitted: _, ...committed } = standing;
  const first = {
    ...standing,
    uncommitted: { programs: 3, valid: 2, best: { ...standing.best!, score: 7, strictScore: 7, program: id } },
  };
  const block = progressBlock(watchState({ run: first }), 120);
  expect(block).toContain(`so far  not committed: 3 programs · 2 valid · best 7 (${id})`);
  const table = runTable([runReport(first, new Date(), null), runReport(committed, new Date(), null)]);
  expect(table[1]).toMatch(/ 7\* .* 0 \+ 3 /);
  expect(table[2]).not.toMatch(/[*+]/);
  expect(table.at(-1)).toBe('* and what follows a +: of steps that are not committed yet');
  expect(runTable([runReport(committed, new Date(), null)]).join()).not.toContain('not committed');
});
