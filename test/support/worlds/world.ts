// A run over the store in memory: its activities without engine or containers. For tests of steps and of steering.
import { MockActivityEnvironment } from '@temporalio/testing';
import { createGenerate } from '../../../activities/llm/chat/generate.ts';
import { createRunActivities } from '../../../activities/run/open-run.ts';
import { createNoopEvaluator } from '../../../activities/sandbox/host/evaluator.ts';
import { createApplyResponses } from '../../../activities/step/apply/apply-responses.ts';
import { createCommitStep } from '../../../activities/step/commit/commit-step.ts';
import { createEvaluate } from '../../../activities/step/evaluate/evaluate.ts';
import { createPlanIsland } from '../../../activities/step/plan/plan-island.ts';
import { createPlanStep } from '../../../activities/step/plan/plan-step.ts';
import { takeTask, taskLoader, taskRef } from '../../../activities/task/kept-task.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { shippedTask } from '../domain/shipped-tasks.ts';
import { configFrom } from '../domain/asked-run.ts';

const configOf = (population: object = {}, limits: object = {}) =>
  configFrom({ batch: 2, responses: 6, limits: { steps: 2, ...limits }, seed: 3, population });
export const run = 'r';

/** Answers by seed: one of two edits of a literal, or prose. */
const answer = (seed: number): string =>
  seed % 3 === 0
    ? 'only prose'
    : `<<<<<<< SEARCH\n    middle_x = 0.5\n=======\n    middle_x = 0.${4 + (seed % 2)}1\n>>>>>>> REPLACE`;

/** An evaluator with these words in it takes no program. */
export const BROKEN = 'raise ValueError';
/** With these words it ranks programs the other way round, and takes none with one of the model's edits. */
export const TURNED = '# turned round';
const LEFT_OUT = 'middle_x = 0.41';
const INVALID = {
  outcome: 'invalid',
  score: null,
  strictScore: null,
  reasons: ['the evaluator failed: ValueError: half'],
} as const;

/** `tasks`: a folder of tasks that the run is begun from, and keeps its own of. */
export const world = (population?: object, given: (id: string) => Promise<Task> = shippedTask, tasks?: string) => {
  const store = memoryStore();
  const load = tasks === undefined ? given : taskLoader(store, tasks);
  const taking = tasks === undefined ? {} : { takeTask: (named: string) => takeTask(named, tasks) };
  let [evaluated, asked] = [0, 0];
  const noop = createNoopEvaluator();
  const activities = {
    ...createRunActivities({
      store,
      loadTask: load,
      ...taking,
    }),
    ...createPlanStep({ store, loadTask: load, ...taking }),
    ...createPlanIsland({ store, loadTask: load }),
    ...createGenerate({
      store,
      clientFor: async () => ({
        model: 'm',
        client: {
          models: async () => [],
          chat: async (request) => ({
            ...((asked += 1), {}),
            model: 'm',
            usage: { in: 10, out: 6 },
            choices: Array.from({ length: request.n }, (_, index) => ({
              text: answer(request.seed + index),
              reasoning: null,
              finishReason: 'stop',
            })),
          }),
        },
      }),
    }),
    ...createApplyResponses({ store, loadTask: load }),
    ...createEvaluate({
      store,
      evaluatorFor: async (config, of) => ({
        isolation: 'fake',
        evaluate: async (job, signal) => {
          evaluated += 1;
          const valid = await noop.evaluate({ ...job, scoring: 'tolerant' }, signal);
          if (tasks === undefined) return valid;
          const { evaluatorSource } = await load(taskRef({ config, ...of }));
          if (evaluatorSource.includes(TURNED) && valid.score !== null)
            return job.code.includes(LEFT_OUT)
              ? { ...valid, ...INVALID }
              : { ...valid, score: 10 - valid.score, strictScore: 10 - valid.score };
          return evaluatorSource.includes(BROKEN)
            ? { ...valid, ...INVALID, stderrTail: 'Traceback\n  line 3\n\u001b[31mValueError: half\n a word\u0000' }
            : valid;
        },
      }),
    }),
    ...createCommitStep({ store, loadTask: load }),
  };
  const call = <T>(work: (input: never) => Promise<T>, input: unknown): Promise<T> =>
    new MockActivityEnvironment().run(work as (input: unknown) => Promise<T>, input) as Promise<T>;
  /** One step; `twice` repeats every activity, as an engine that lost its answer would. */
  const step = async (n: number, twice: boolean, omit = 0, owner = 'first') => {
    const again = async <T>(work: (input: never) => Promise<T>, input: unknown): Promise<T> => {
      if (twice) await call(work, input);
      return call(work, input);
    };
    const plan = await again(activities.planStep, { run, step: n, owner });
    const ref = { run, step: n, epoch: plan.epoch, version: plan.version };
    let slots = [...plan.evaluate];
    for (let group = 0; group < plan.groups - omit; group += 1) {
      const made = await again(activities.generate, {
        ...ref,
        group,
        first: 0,
        count: plan.responses,
        responses: plan.responses,
      });
      slots = [
        ...slots,
        ...(await again(activities.applyResponses, { ...ref, slots: made.stored, final: made.stored })).evaluate,
      ];
    }
    if (slots.length > 0) await again(activities.evaluate, { ...ref, slots });
    return again(activities.commitStep, {
      ...ref,
      generation: plan.generation,
      injected: plan.injected,
      omitted: Array.from(
        { length: omit * plan.responses },
        (_, index) => (plan.groups - omit) * plan.responses + index,
      ),
    });
  };
  return {
    store,
    step,
    call,
    activities,
    open: (limits?: object) => call(activities.openRun, { run, owner: 'first', config: configOf(population, limits) }),
    evaluated: () => evaluated,
    /** Requests that the model has answered. */
    asked: () => asked,
  };
};

export const play = async (twice: boolean, population?: object) => {
  const { store, step, open, evaluated } = world(population);
  await open();
  const summaries = [await step(0, twice), await step(1, twice), await step(2, twice)];
  const programs = [];
  for await (const program of store.eachProgram(run)) programs.push(program);
  return { summaries, programs, evaluated: evaluated(), store };
};
