// The verbs of a step over the store in memory: a whole step without engine or containers, twice, with retries in between.
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { createApplyResponses } from '../../activities/apply-responses.ts';
import { createCommitStep } from '../../activities/commit-step.ts';
import { createEvaluate } from '../../activities/evaluate.ts';
import { createGenerate } from '../../activities/llm/generate.ts';
import { createRunActivities } from '../../activities/open-run.ts';
import { createPlanStep } from '../../activities/plan-step.ts';
import { createNoopEvaluator } from '../../activities/sandbox/evaluate.ts';
import { memoryStore } from '../../activities/store/memory/memory-store.ts';
import { loadTask } from '../../activities/task/load-task.ts';
import { checkRunConfig, resolveConfig } from '../../evolution/config/schema.ts';
import { programId } from '../../evolution/ids.ts';

const configOf = (population: object = {}) => resolveConfig([{
  settings: { batch: 2, responses: 6, limits: { steps: 2 }, seed: 3, evaluation: { sandbox: 'noop' }, population }, where: () => 'test',
}]).config;
const run = 'r';

/** Answers by seed: one of two edits of a literal, or prose. */
const answer = (seed: number): string => (seed % 3 === 0 ? 'only prose'
  : `<<<<<<< SEARCH\n    middle_x = 0.5\n=======\n    middle_x = 0.${4 + (seed % 2)}1\n>>>>>>> REPLACE`);

const world = (population?: object) => {
  const store = memoryStore();
  let evaluated = 0;
  const noop = createNoopEvaluator();
  const activities = {
    ...createRunActivities({ store, loadTask, checkConfig: checkRunConfig }),
    ...createPlanStep({ store, loadTask }),
    ...createGenerate({ store, clientFor: async () => ({ model: 'm', client: { models: async () => [], chat: async (request) => ({
      model: 'm', usage: { in: 10, out: 6 }, choices: Array.from({ length: request.n }, (_, index) => ({ text: answer(request.seed + index), reasoning: null, finishReason: 'stop' })),
    }) } }) }),
    ...createApplyResponses({ store }),
    ...createEvaluate({ store, evaluatorFor: async () => ({ isolation: 'fake', evaluate: (job, signal) => { evaluated += 1; return noop.evaluate({ ...job, scoring: 'tolerant' }, signal); } }) }),
    ...createCommitStep({ store, loadTask }),
  };
  const call = <T>(work: (input: never) => Promise<T>, input: unknown): Promise<T> => new MockActivityEnvironment().run(work as (input: unknown) => Promise<T>, input) as Promise<T>;
  /** One step; `twice` repeats every activity, as an engine that lost its answer would. */
  const step = async (n: number, twice: boolean) => {
    const again = async <T>(work: (input: never) => Promise<T>, input: unknown): Promise<T> => { if (twice) await call(work, input); return call(work, input); };
    const plan = await again(activities.planStep, { run, step: n, epoch: 0, owner: `owner-${n}` });
    const ref = { run, step: n, epoch: 0 };
    let slots = n === 0 ? [0] : [];
    for (let group = 0; group < plan.groups; group += 1) {
      const made = await again(activities.generate, { ...ref, group, first: 0, count: plan.responses, responses: plan.responses });
      slots = [...slots, ...(await again(activities.applyResponses, { ...ref, slots: made.stored })).evaluate];
    }
    if (slots.length > 0) await again(activities.evaluate, { ...ref, slots });
    return again(activities.commitStep, { ...ref, generation: plan.generation });
  };
  return { store, step, open: () => call(activities.openRun, { run, config: configOf(population) }), evaluated: () => evaluated };
};

const play = async (twice: boolean, population?: object) => {
  const { store, step, open, evaluated } = world(population);
  await open();
  const summaries = [await step(0, twice), await step(1, twice), await step(2, twice)];
  const programs = [];
  for await (const program of store.eachProgram(run)) programs.push(program);
  return { summaries, programs, evaluated: evaluated(), store };
};

describe('a step', () => {
  it('keeps every candidate, counts each once and ranks only valid ones', async () => {
    const { summaries, programs } = await play(false);
    expect(programs.map((program) => program._id)).toEqual([programId(run, 0, 0, 0), ...[1, 2].flatMap((step) => Array.from({ length: 12 }, (_, slot) => slot).map((slot) => programId(run, step, 0, slot)))]);
    const { totals } = summaries[2]!;
    expect(totals.programs).toBe(24);
    expect(totals.valid + Object.values(totals.failures).reduce((a, b) => a + b, 0)).toBe(24);
    expect(totals.tokens).toEqual({ in: 40, out: 24 });
    for (const program of programs) expect(program.fit !== undefined).toBe(program.outcome === 'valid');
  });

  it('property 13: equal siblings share one evaluation and one score, the lowest slot is the program', async () => {
    const { programs, evaluated } = await play(false);
    const siblings = programs.filter((program) => program.step === 1 && program.outcome === 'valid');
    const groups = Map.groupBy(siblings, (program) => program.normHash);
    for (const same of groups.values()) {
      expect(new Set(same.map((program) => program.score)).size).toBe(1);
      expect(same[0]!.sameAs).toBeUndefined();
      expect(same.slice(1).every((program) => program.sameAs === same[0]!._id)).toBe(true);
    }
    expect(siblings.some((program) => program.sameAs !== undefined)).toBe(true);
    const distinct = new Set(programs.filter((program) => program.evaluation !== null).map((program) => program.evaluation));
    expect(evaluated).toBe(distinct.size);
  });

  it('a program that repeats an earlier step\'s is a duplicate and is not evaluated', async () => {
    const { programs } = await play(false);
    const earlier = new Set(programs.filter((program) => program.step <= 1 && program.evaluation !== null).map((program) => program.normHash));
    const repeats = programs.filter((program) => program.step === 2 && program.normHash !== null && earlier.has(program.normHash));
    for (const program of repeats) expect(['duplicate', 'no_change']).toContain(program.outcome);
  });

  it.each(['parent', 'current'])('childIsland %s: a program is stored with the island that it entered', async (childIsland) => {
    const { programs, store } = await play(false, { childIsland });
    const { members } = await store.population(run);
    for (const program of programs) if (members.has(program._id)) expect(program.island).toBe(members.get(program._id)!.home);
  });

  it('every activity done twice gives what it gives done once', async () => {
    const once = await play(false);
    const twice = await play(true);
    expect(twice.programs).toEqual(once.programs);
    expect(twice.summaries.map(({ totals, best }) => ({ totals, best }))).toEqual(once.summaries.map(({ totals, best }) => ({ totals, best })));
    expect(twice.evaluated).toBe(once.evaluated);
  });
});
