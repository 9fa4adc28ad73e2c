// A run in the store in memory whose models differ in worth: programs of `good` add 0.1 to their parent's score,
// those of `poor` nothing. For tests of the choice of models and of what is counted.
import type { ChatRequest } from '../../../../activities/llm/chat/client.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';
import { configFrom } from '../../../support/domain/asked-run.ts';
import { shippedTask } from '../../../support/domain/shipped-tasks.ts';
import { conducted, edit, run } from '../../../support/worlds/conducted.ts';

export { run };

export const twoModels = (settings: object = {}) => {
  const store = memoryStore();
  const config = configFrom({
    batch: 8,
    responses: 2,
    limits: { steps: 20 },
    seed: 3,
    population: { islands: 1 },
    modelChoice: 'bandit',
    model: { name: 'good', baseUrl: 'http://127.0.0.1:9/v1', price: { in: 1, out: 10, cached: 0.5 } },
    models: [{ name: 'poor', price: { in: 1, out: 10 } }],
    ...settings,
  });
  const asked: { readonly step: number; readonly model: string }[] = [];
  let at = 0;
  const chat = ({ model, seed, n }: ChatRequest) => {
    asked.push({ step: at, model });
    return {
      // Endpoints answer with the name of a version.
      model: `${model}-2026`,
      usage: { in: 100, out: 20, ...(model === 'good' ? { cached: 40, reasoning: 8 } : {}) },
      // A line of its own beside one that stays; its name says who wrote it.
      choices: Array.from({ length: n }, (_, index) => ({
        text: edit('    middle_x = 0.5', `    ${model}_${seed + index} = ${seed + index}\n    middle_x = 0.5`),
        reasoning: null,
        finishReason: 'stop',
      })),
    };
  };
  const worker = () =>
    conducted({
      store,
      loadTask: shippedTask,
      chat,
      asking: async ({ step }) => void (at = step),
      evaluated: (valid, { code }) => {
        const score = 1 + [...code.matchAll(/good_/g)].length / 10;
        return { ...valid, score, strictScore: score };
      },
    });
  let { call, activities, step } = worker();
  return {
    store,
    asked,
    open: () => call(activities.openRun, { run, owner: 'first', config }),
    step: (n: number) => step(n),
    group: async (n: number, group: number) => {
      const { epoch, version, responses } = await call(activities.planStep, { run, step: n, owner: 'first' });
      at = n;
      const ref = { run, step: n, epoch, version };
      return call(activities.generate, { ...ref, group, first: 0, count: responses, responses });
    },
    /** A worker that begins with nothing in memory. */
    newWorker: () => {
      ({ call, activities, step } = worker());
    },
  };
};
