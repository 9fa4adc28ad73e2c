// Streams (`schedule: continuous`) over the store in memory, a scripted model in place of a language model: whatever the
// order in which groups are finished, what is stored rebuilds, and no program is lost or made twice.
import { describe, expect, it } from 'vitest';
import type { StepPlan } from '../../../activities/interface/step.ts';
import { rebuildRun } from '../../../activities/rebuild/rebuild.ts';
import { shippedTask } from '../../support/domain/shipped-tasks.ts';
import { promptBehind, promptOf } from '../../../client/read/requests/prompts.ts';
import { rowsOf } from '../../../evolution/population/population.ts';
import { rng } from '../../../evolution/rng.ts';
import { programId } from '../../../evolution/ids.ts';
import { bookingId } from '../../../activities/store/steps/bookings.ts';
import type { BookingDocument } from '../../../activities/store/documents/step-documents.ts';
import { codeWorld, programsOf, run } from '../../support/worlds/code-world.ts';
import { playStream, type Turn } from '../../support/worlds/stream-world.ts';

const STEPS = 6;
const clean = { differences: [], differenceCount: 0 };
const score = (code: string): number | null => {
  const value = Number(/middle_x = 0\.(\d+)/.exec(code)![1]);
  return value % 4 === 0 ? null : value / 1e6;
};
const repair = ({ seed }: { readonly seed: number }): string =>
  ['#DELTA-SUMMARY-START', `FROM: before ${seed}`, `TO: idea ${seed}`, '#DELTA-SUMMARY-END'].join('\n');
const settings = (more: object = {}) => ({
  schedule: 'continuous',
  inFlight: 6,
  batch: 3,
  migration: { interval: 3 },
  population: { islands: 3, initialisation: 2 },
  exploration: { start: 0.5, min: 0.4, max: 0.6 },
  ...more,
});
const atRandom = (seed: number): Turn => {
  const random = rng(seed, 'turn');
  return (open) => random.pick(open.map((_, index) => index));
};
const last: Turn = (open) => open.length - 1;

type World = ReturnType<typeof codeWorld>;
const everything = async ({ store, asked }: World) => ({
  programs: await programsOf(store),
  rows: rowsOf(await store.population(run)),
  totals: (await store.readRun(run))!.totals,
  asked: asked.map(({ messages, seed }) => JSON.stringify([messages, seed])).sort(),
});
const opened = async (of: object) => {
  const it = codeWorld(of, { score, repair });
  await it.open();
  return it;
};
const played = async (of: object, turn: Turn, steps = STEPS) => {
  const it = await opened(of);
  await playStream(it, { steps, turn });
  return it;
};
const bookingOf = (answer: string): BookingDocument => ({
  ...{ _id: bookingId('program', answer, 1), run, step: 1, epoch: 0, stage: 'program', answer, sending: 1 },
  ...{ by: 'test', model: 'm', endpoint: 'e', at: new Date(), until: new Date(), state: 'sent' },
  ...{ usage: { in: 1, out: 1 }, costUsd: 0, estimated: true, maxOut: 1, reason: null, response: null },
});
const rebuilt = ({ store }: World, steps = STEPS) =>
  expect(rebuildRun({ store, loadTask: shippedTask }, run)).resolves.toMatchObject({ steps: steps + 1, ...clean });

describe('a stream', () => {
  it.each([
    ['operators and prompts that a model edits', {}],
    ['several responses, prior programs', { responses: 2, prompt: { priorPrograms: 2, elites: 1, diverse: 1 } }],
    [
      'deltas, those left out are asked for',
      {
        prompt: { style: 'delta', elites: 2, diverse: 1 },
        delta: { missing: 'repair' },
        exploration: { schedule: 'none', metaPrompt: false },
        population: { islands: 3, initialisation: 1 },
      },
    ],
    [
      "OpenEvolve's",
      {
        method: 'openevolve',
        migration: { interval: 2 },
        population: { islands: 3 },
        exploration: {},
      },
    ],
    ['a program that the run has had', { diff: { lazyScope: 'history' } }],
  ])('rebuilds from what is stored in any order of arrival: %s', async (_, more) => {
    for (const turn of [atRandom(1), last]) {
      const it = await played(settings(more), turn);
      const { programs, totals } = await everything(it);
      const responses = (more as { readonly responses?: number }).responses ?? 1;
      expect([programs.length, totals.programs]).toEqual([1 + 3 * STEPS * responses, 3 * STEPS * responses]);
      expect(programs.some(({ step, named }) => named !== undefined && named < step)).toBe(true);
      await rebuilt(it);
    }
  });

  it('commits several steps in a turn, and a turn that is repeated changes nothing', async () => {
    const it = await opened(settings({ inFlight: 12 }));
    await playStream(it, { steps: STEPS, turn: last, inTurn: 3, twice: true });
    const { programs, totals } = await everything(it);
    expect([programs.length, totals.programs]).toEqual([1 + 3 * STEPS, 3 * STEPS]);
    await rebuilt(it);
  });

  it('the same order makes the same run, and another order another one', async () => {
    const [one, same, other] = await Promise.all([1, 1, 2].map((seed) => played(settings(), atRandom(seed))));
    expect(await everything(same!)).toEqual(await everything(one!));
    expect((await everything(other!)).programs).not.toEqual((await everything(one!)).programs);
  });

  // Attempt: messages and the terminal.
  it('killed anywhere, it goes on with what is stored: nothing is asked twice, and nothing is lost', async () => {
    for (const killedAfter of [0, 4, 11]) {
      const it = await opened(settings());
      await playStream(it, { steps: STEPS, turn: atRandom(killedAfter), killedAfter });
      const before = await programsOf(it.store);
      await playStream(it, {
        steps: STEPS,
        turn: last,
        twice: true,
        owner: killedAfter % 2 === 0 ? 'first' : 'second',
      });
      const { programs, asked } = await everything(it);
      expect(programs.slice(0, before.length)).toEqual(before);
      expect([new Set(asked).size, asked.length]).toEqual([asked.length, asked.length]);
      await rebuilt(it);
    }
  });

  it('where settings are replaced, groups that have an answer are gone on with, and then a new stream begins', async () => {
    const it = await opened(settings());
    await playStream(it, { steps: STEPS, turn: last, killedAfter: 5 });
    const change = { kind: 'set', patch: { diff: { maxCodeChars: 40_000 } } };
    await it.call(it.activities.changeSettings, { run, change });
    await playStream(it, { steps: STEPS, turn: last });
    const versions: number[] = [];
    for await (const { configVersion } of it.store.eachStep(run, 1)) versions.push(configVersion);
    expect([versions[0], versions.at(-1)]).toEqual([1, 2]);
    await rebuilt(it);
  });

  it('after a pause it begins anew where nothing that was planned has left, so that prompts know what came since', async () => {
    const it = await opened(settings({ exploration: { schedule: 'none', metaPrompt: false } }));
    await it.step(0, { owner: 'test' });
    const planOf = (step: number): Promise<StepPlan> =>
      it.call(it.activities.planStep, { run, step, owner: 'test', window: { steps: 5, programs: null } });
    const plan = await planOf(1);
    const { epoch, version, generation, responses } = plan;
    const at = { run, step: 1, epoch, version };
    const turn = { ...at, generation, first: 1 };
    const planned = { from: plan.stream!.planned, count: 5 - plan.stream!.planned };
    await it.call(it.activities.turnStream, { ...turn, plan: planned });
    for (const group of [0, 1, 2]) {
      const made = await it.call(it.activities.generate, { ...at, group, first: 0, count: responses, responses });
      await it.follow(it.call, { plan, apply: true, step: 1, slots: made.stored, stream: true });
    }
    const commit = { groups: [0, 1, 2], injected: 0, omitted: [], next: 'test' };
    await it.call(it.activities.turnStream, { ...turn, commit, plan: { from: 5, count: 0 } });

    // A request that left may still be answered, so its stream is gone on with.
    await it.store.book(bookingOf(programId(run, 1, epoch, 4)));
    expect((await planOf(2)).stream).toMatchObject({ first: 1, pending: [3, 4], planned: 5 });
    await it.store.settleBookings([bookingOf(programId(run, 1, epoch, 4))._id]);

    const anew = await planOf(2);
    expect(anew.stream).toMatchObject({ first: 2, pending: [], planned: 0 });
    const second = { ...turn, step: 2, first: 2, generation: anew.generation };
    await it.call(it.activities.turnStream, { ...second, plan: { from: 0, count: 2 } });
    expect(await promptOf(it.store, (await it.store.readRun(run))!, {})).toMatchObject({ step: 2, group: 0 });
    await playStream(it, { steps: 3, turn: last });
    expect((await programsOf(it.store)).map(({ named, step }) => named ?? step)).toEqual([
      0, 1, 1, 1, 2, 2, 2, 2, 2, 2,
    ]);
    await rebuilt(it, 3);
  });

  it('takes in what a person puts in; a step that is asked afresh sets aside all answers of the stream', async () => {
    const it = await opened(settings());
    await playStream(it, { steps: 3, turn: last });
    await it.call(it.activities.injectProgram, { run, island: 1, program: 'middle_x = 0.999997\n' });
    await playStream(it, { steps: STEPS, turn: last, killedAfter: 7 });
    expect((await programsOf(it.store)).filter(({ slot }) => slot >= 900_000)).toMatchObject([{ step: 4, island: 1 }]);
    const { committedStep: done } = (await it.store.readRun(run))!;
    const answered = it.asked.length;
    const committed = (await it.store.readRun(run))!.totals.tokens;
    await it.call(it.activities.resample, { run, step: done + 1, by: 'test' });
    const { setAside } = (await it.store.readRun(run))!;
    const aside = setAside.reduce((sum, { tokens }) => sum + tokens.in + tokens.out, 0);
    expect(aside + committed.in + committed.out).toBe(16 * answered);
    await playStream(it, { steps: STEPS, turn: last });
    await rebuilt(it);
    // Back to a step in the middle of a stream.
    await it.call(it.activities.openRun, { run, owner: 'third', rewind: { toStep: 2, resample: false } });
    await playStream(it, { steps: STEPS, turn: atRandom(3), owner: 'third' });
    await rebuilt(it);
    // The program that a person put in is taken by its own step again.
    expect((await programsOf(it.store)).filter(({ slot }) => slot >= 900_000)).toMatchObject([{ step: 4, island: 1 }]);
  });

  it('a turn of several steps commits them as turns of one do, and none after a step that holds other groups', async () => {
    const it = await opened(settings({ exploration: { schedule: 'none', metaPrompt: false } }));
    const groupsOf = async (): Promise<readonly (readonly number[])[]> => {
      const all: (readonly number[])[] = [];
      for await (const { stream } of it.store.eachStep(run, 1)) all.push(stream!.groups);
      return all;
    };
    await it.step(0, { owner: 'test' });
    const plan: StepPlan = await it.call(it.activities.planStep, { run, step: 1, owner: 'test' });
    const { epoch, version, generation, responses } = plan;
    const at = { run, step: 1, epoch, version };
    const turn = { ...at, generation, first: 1 };
    const planned = { from: plan.stream!.planned, count: 12 - plan.stream!.planned };
    await it.call(it.activities.turnStream, { ...turn, plan: planned });
    for (let group = 0; group < 9; group += 1) {
      const made = await it.call(it.activities.generate, { ...at, group, first: 0, count: responses, responses });
      await it.follow(it.call, { plan, apply: true, step: 1, slots: made.stored, stream: true });
    }
    const commitOf = (groups: readonly number[]) => ({ groups, injected: 0, omitted: [], next: 'test' });
    const three = {
      ...turn,
      commit: commitOf([2, 0, 1]),
      further: [commitOf([5, 3, 4]), commitOf([8, 6, 7])],
      plan: { from: 12, count: 2 },
    };
    const first = await it.call(it.activities.turnStream, three);
    expect(first.further!.map(({ groups, summary }) => [summary.step, groups])).toEqual([
      [2, [5, 3, 4]],
      [3, [8, 6, 7]],
    ]);
    // A retry finds all three, whatever the process before had come to.
    const again = await it.call(it.activities.turnStream, three);
    expect([again.groups, again.further!.map(({ groups }) => groups)]).toEqual([
      first.groups,
      first.further!.map(({ groups }) => groups),
    ]);
    expect(again.further!.map(({ summary }) => summary.totals)).toEqual(
      first.further!.map(({ summary }) => summary.totals),
    );
    expect(await groupsOf()).toEqual([
      [2, 0, 1],
      [5, 3, 4],
      [8, 6, 7],
    ]);
    const marks: string[] = [];
    for await (const { state } of it.store.eachStep(run, 1)) marks.push(state);
    expect(marks).toEqual(['committed', 'committed', 'committed']);
    // What is given is of an execution that was reset: step 1 is there with other groups, which stand in step 2 here.
    const other = {
      ...three,
      commit: commitOf([0, 1, 3]),
      further: [commitOf([2, 4, 5])],
      plan: { from: 14, count: 0 },
    };
    const found = await it.call(it.activities.turnStream, other);
    expect([found.groups, found.further]).toEqual([[2, 0, 1], undefined]);
    await rebuilt(it, 3);
  });

  it('the prompts of its steps are found, those of the step that is open too', async () => {
    const it = await opened(settings());
    await playStream(it, { steps: STEPS, turn: last, killedAfter: 14 });
    const document = (await it.store.readRun(run))!;
    const committed = await promptOf(it.store, document, { step: document.committedStep });
    const programs = await programsOf(it.store);
    const made = programs.filter(({ step }) => step === document.committedStep).map(({ _id }) => _id);
    expect(made).toContain(committed.programs[0]!.id);
    const open = await promptOf(it.store, document, {});
    expect([open.step, made.includes(open.programs[0]?.id ?? '')]).toEqual([document.committedStep + 1, false]);
    const one = programs.find(({ step, named, parents }) => parents.length > 0 && named !== undefined && named < step)!;
    expect((await promptBehind(it.store, one))!.parent).toBe(one.parents[0]);
  });
});
