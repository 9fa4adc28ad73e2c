// A run in the store in memory whose models differ in worth: programs of `good` add 0.1 to their parent's score,
// those of `poor` nothing. For tests of the choice of models and of what is counted.
import { MockActivityEnvironment } from '@temporalio/testing';
import type { ChatRequest, ModelClient } from '../../../../activities/llm/chat/client.ts';
import { createGenerate } from '../../../../activities/llm/chat/generate.ts';
import { createRunActivities } from '../../../../activities/run/open-run.ts';
import { createNoopEvaluator } from '../../../../activities/sandbox/host/evaluator.ts';
import { createApplyResponses } from '../../../../activities/step/apply/apply-responses.ts';
import { createCommitStep } from '../../../../activities/step/commit/commit-step.ts';
import { createEvaluate } from '../../../../activities/step/evaluate/evaluate.ts';
import { createPlanStep } from '../../../../activities/step/plan/plan-step.ts';
import { shippedTask } from '../../../support/domain/shipped-tasks.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';
import { configFrom } from '../../../support/domain/asked-run.ts';

export const run = 'r';

/** A line of its own beside one that stays; its name says who wrote it. */
const edit = (model: string, seed: number): string =>
  `<<<<<<< SEARCH\n    middle_x = 0.5\n=======\n    ${model}_${seed} = ${seed}\n    middle_x = 0.5\n>>>>>>> REPLACE`;

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
  const client: ModelClient = {
    models: async () => [],
    async chat(request: ChatRequest) {
      asked.push({ step: at, model: request.model });
      return {
        // Endpoints answer with the name of a version.
        model: `${request.model}-2026`,
        usage: { in: 100, out: 20, ...(request.model === 'good' ? { cached: 40, reasoning: 8 } : {}) },
        choices: Array.from({ length: request.n }, (_, index) => ({
          text: edit(request.model, request.seed + index),
          reasoning: null,
          finishReason: 'stop',
        })),
      };
    },
  };
  const noop = createNoopEvaluator();
  const newGenerate = () => createGenerate({ store, clientFor: async ({ name }) => ({ client, model: name }) });
  const activities = {
    ...createRunActivities({ store, loadTask: shippedTask }),
    ...createPlanStep({ store, loadTask: shippedTask }),
    ...createApplyResponses({ store, loadTask: shippedTask }),
    ...createEvaluate({
      store,
      evaluatorFor: async () => ({
        isolation: 'fake',
        evaluate: async (job, signal) => {
          const score = 1 + [...job.code.matchAll(/good_/g)].length / 10;
          return { ...(await noop.evaluate({ ...job, scoring: 'tolerant' }, signal)), score, strictScore: score };
        },
      }),
    }),
    ...createCommitStep({ store, loadTask: shippedTask }),
  };
  const call = <T>(work: (input: never) => Promise<T>, input: unknown): Promise<T> =>
    new MockActivityEnvironment().run(work as (input: unknown) => Promise<T>, input) as Promise<T>;
  let { generate } = newGenerate();
  const begin = async (step: number) => {
    at = step;
    const plan = await call(activities.planStep, { run, step, owner: 'first' });
    return { plan, ref: { run, step, epoch: plan.epoch, version: plan.version } };
  };
  const group = async (step: number, number: number) => {
    const { plan, ref } = await begin(step);
    return call(generate, { ...ref, group: number, first: 0, count: plan.responses, responses: plan.responses });
  };
  return {
    store,
    asked,
    group,
    open: () => call(activities.openRun, { run, owner: 'first', config }),
    /** A worker that begins with nothing in memory. */
    newWorker: () => {
      ({ generate } = newGenerate());
    },
    async step(step: number) {
      const { plan, ref } = await begin(step);
      let slots = [...plan.evaluate];
      for (let number = 0; number < plan.groups; number += 1) {
        const { stored } = await call(generate, {
          ...ref,
          group: number,
          first: 0,
          count: plan.responses,
          responses: plan.responses,
        });
        slots = [
          ...slots,
          ...(await call(activities.applyResponses, { ...ref, slots: stored, final: stored })).evaluate,
        ];
      }
      await call(activities.evaluate, { ...ref, slots });
      return call(activities.commitStep, { ...ref, generation: plan.generation, injected: 0, omitted: [] });
    },
  };
};
