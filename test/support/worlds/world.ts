// A run of the default method on the default task, over the store in memory. For tests of steps and of steering.
import { takeTask, taskLoader, taskRef } from '../../../activities/task/kept-task.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { shippedTask } from '../domain/shipped-tasks.ts';
import { configFrom } from '../domain/asked-run.ts';
import { conducted, edit, programsOf, run } from './conducted.ts';

export { run };

const configOf = (population: object = {}, limits: object = {}) =>
  configFrom({ batch: 2, responses: 6, limits: { steps: 2, ...limits }, seed: 3, population });

/** Answers by seed: one of two edits of a literal, or prose. */
const answer = (seed: number): string =>
  seed % 3 === 0 ? 'only prose' : edit('    middle_x = 0.5', `    middle_x = 0.${4 + (seed % 2)}1`).trimEnd();

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
  const loadTask = tasks === undefined ? given : taskLoader(store, tasks);
  let [evaluated, asked] = [0, 0];
  const { step, ...base } = conducted({
    store,
    loadTask,
    ...(tasks === undefined ? {} : { takeTask: (named: string) => takeTask(named, tasks) }),
    chat: ({ seed, n }) => {
      asked += 1;
      const choice = (index: number) => ({ text: answer(seed + index), reasoning: null, finishReason: 'stop' });
      return { model: 'm', usage: { in: 10, out: 6 }, choices: Array.from({ length: n }, (_, index) => choice(index)) };
    },
    evaluated: async (valid, job, of) => {
      evaluated += 1;
      if (tasks === undefined) return valid;
      const { evaluatorSource } = await loadTask(taskRef({ ...of }));
      if (evaluatorSource.includes(TURNED) && valid.score !== null)
        return job.code.includes(LEFT_OUT)
          ? { ...valid, ...INVALID }
          : { ...valid, score: 10 - valid.score, strictScore: 10 - valid.score };
      return evaluatorSource.includes(BROKEN)
        ? { ...valid, ...INVALID, stderrTail: 'Traceback\n  line 3\n\u001b[31mValueError: half\n a word\u0000' }
        : valid;
    },
  });
  return {
    ...base,
    step: async (n: number, twice: boolean, omit = 0, owner = 'first') => (await step(n, { twice, omit, owner }))!,
    stepOf: step,
    open: (limits?: object) =>
      base.call(base.activities.openRun, { run, owner: 'first', config: configOf(population, limits) }),
    evaluated: () => evaluated,
    /** Requests that the model has answered. */
    asked: () => asked,
  };
};

export const play = async (twice: boolean, population?: object) => {
  const { store, step, open, evaluated } = world(population);
  await open();
  const summaries = [await step(0, twice), await step(1, twice), await step(2, twice)];
  return { summaries, programs: await programsOf(store), evaluated: evaluated(), store };
};
