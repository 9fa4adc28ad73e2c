// Runs of method `research` over the store in memory, with a scripted idea model, judge and program model. For
// research.test.ts.
import { MockActivityEnvironment } from '@temporalio/testing';
import { createAsk } from '../../../activities/llm/chat/ask.ts';
import { type ChatRequest, ModelError } from '../../../activities/llm/chat/client.ts';
import { createGenerate } from '../../../activities/llm/chat/generate.ts';
import { createRunActivities } from '../../../activities/run/open-run.ts';
import { createNoopEvaluator } from '../../../activities/sandbox/host/evaluator.ts';
import { createAdvance } from '../../../activities/step/ask/advance.ts';
import { createApplyResponses } from '../../../activities/step/apply/apply-responses.ts';
import { createCommitStep } from '../../../activities/step/commit/commit-step.ts';
import { createEvaluate } from '../../../activities/step/evaluate/evaluate.ts';
import { createInitialIdea } from '../../../activities/step/ask/stages/initial-idea.ts';
import { createPlanStep } from '../../../activities/step/plan/plan-step.ts';
import type { ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import { shippedTask } from '../domain/shipped-tasks.ts';
import { promptId } from '../../../evolution/ids.ts';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';
import type { Evaluation } from '../../../evolution/scoring/evaluation.ts';
import type { Task } from '../../../evolution/task/task.ts';
import type { Stage } from '../../../evolution/stages.ts';
import { tokensOf } from './code-world.ts';
import { memoryStore } from '../../doubles/memory-store.ts';

type Asked = {
  readonly role: 'idea' | 'judge' | 'program' | 'initial';
  readonly system: string;
  readonly user: string;
  readonly temperature: number;
};
/** `k`: how often the role was asked before. */
type Answer = (asked: Asked, k: number) => string;
type Script = {
  readonly idea?: Answer;
  readonly judge?: Answer;
  readonly program?: Answer;
  /** The judge's answer on the initial idea. */
  readonly initial?: Answer;
  /** Of the program whose line says `middle_x = 0.<number>`. */
  readonly result?: (number: number) => Partial<Evaluation>;
  readonly direction?: 'maximise' | 'minimise';
  /** The task's own. */
  readonly templates?: Task['templates'];
  /** The task's problem statement; its own when left out. */
  readonly problem?: string;
  /** The endpoint names no tokens. */
  readonly uncounted?: boolean;
};

export const DOWN = (): never => {
  throw new ModelError('connection refused', { status: null, fatal: true, retryAfterMs: null });
};
export const edit = (from: string, to: string): string =>
  `I change a number.\n<<<<<<< SEARCH\n${from}\n=======\n${to}\n>>>>>>> REPLACE`;
/** Changes the program's number to k + 10. */
const nextNumber: Answer = ({ user }, k) => edit(/^.*middle_x = .*$/m.exec(user)![0], `    middle_x = 0.${k + 10}`);

export const run = 'r';
/** The request about the initial idea. */
const INITIAL = `${promptId(run, 0, 0, 0)}:judge`;

export const research = (script: Script = {}, settings: object = {}) => {
  const store = memoryStore();
  const asked: Asked[] = [];
  const initially: Asked[] = [];
  const task = async (id: string) => ({
    ...(await shippedTask(id)),
    ...(script.direction === undefined ? {} : { direction: script.direction }),
    ...(script.templates === undefined ? {} : { templates: script.templates }),
    ...(script.problem === undefined ? {} : { problem: script.problem }),
  });
  const chat = (
    key: string,
    messages: readonly { readonly role: string; readonly content: string }[],
    temperature: number,
  ): string => {
    const role = key.endsWith(':idea')
      ? 'idea'
      : key === INITIAL
        ? 'initial'
        : key.endsWith(':judge')
          ? 'judge'
          : 'program';
    const of = (name: string): string =>
      messages
        .filter((message) => message.role === name)
        .map(({ content }) => content)
        .join('\n');
    const one = { role, system: of('system'), user: of('user'), temperature } as const;
    const all = role === 'initial' ? initially : asked;
    const k = all.filter((other) => other.role === role).length;
    all.push(one);
    const {
      idea = () => `Idea ${k}`,
      judge = () => 'Good.\n\\boxed{7.5}',
      program = nextNumber,
      initial = () => 'Known.\n\\boxed{4.5}',
    } = script;
    return { idea, judge, program, initial }[role](one, k);
  };
  const clientFor = async (_: unknown, served: { readonly model: string } | null = null) => ({
    model: served?.model ?? 'm',
    client: {
      models: async () => [],
      chat: async (request: ChatRequest) => {
        const text = chat(request.key, request.messages, request.temperature);
        // A model that writes nothing has thought all the same.
        const [reasoning, finishReason] = text === '' ? ['hm', 'reasoning'] : [null, 'stop'];
        const sampled = request.tokens === true ? { sampled: tokensOf(request.seed) } : {};
        return {
          model: request.model,
          usage: script.uncounted === true ? { in: 0, out: 0 } : { in: 100, out: 10 },
          choices: [{ text, reasoning, finishReason, ...sampled }],
        };
      },
    },
  });
  const noop = createNoopEvaluator();
  const evaluated: string[] = [];
  const activities = {
    ...createRunActivities({ store, loadTask: task }),
    ...createInitialIdea({ store, loadTask: task }),
    ...createPlanStep({ store, loadTask: task }),
    ...createAdvance({ store, loadTask: task }),
    ...createCommitStep({ store, loadTask: task }),
    ...createAsk({ store, clientFor }),
    ...createGenerate({ store, clientFor }),
    ...createApplyResponses({ store, loadTask: task }),
    ...createEvaluate({
      store,
      evaluatorFor: async () => ({
        isolation: 'fake',
        evaluate: async (job, signal) => {
          evaluated.push(job.code);
          const number = Number(/middle_x = 0\.(\d+)/.exec(job.code)![1]);
          return {
            ...(await noop.evaluate({ ...job, scoring: 'tolerant' }, signal)),
            metrics: {},
            ...(script.result?.(number) ?? { score: number / 100, strictScore: number / 100 }),
          };
        },
      }),
    }),
  };
  const call = <T>(work: (input: never) => Promise<T>, input: unknown): Promise<T> =>
    new MockActivityEnvironment().run(work as (input: unknown) => Promise<T>, input) as Promise<T>;
  const { config } = resolveConfig([
    {
      where: () => 'test',
      settings: {
        method: 'research',
        seed: 3,
        limits: { steps: 1_000 },
        model: {
          kind: 'openai',
          baseUrl: 'http://127.0.0.1:1/v1',
          name: 'm',
          roles: ['exploit', 'idea', 'judge'],
          price: { in: 1, out: 1 },
        },
      },
    },
    // The rules of the paper, in its own form, unless a test says otherwise.
    { where: () => 'test', settings: { prompt: { frame: 'paper' }, ideation: { stopAtHuman: true } } },
    { where: () => 'test', settings },
  ]);

  /** What workflows/evolution-step.ts does for a group's stages: whether its programs are asked for. */
  const prepare = async (
    ref: { readonly step: number },
    group: number,
    first: Stage,
    again: typeof call,
  ): Promise<boolean> => {
    for (let stage: Stage | null = first; stage !== null;) {
      let failed: string | null = null;
      try {
        await again(activities.ask, { run, ...ref, group, stage });
      } catch (error) {
        if (stage !== 'judge') throw error;
        failed = (error as Error).message;
      }
      const { next, refused }: { next: Stage | null; refused: boolean } = await again(activities.advance, {
        run,
        ...ref,
        group,
        stage,
        failed,
      });
      if (refused) return false;
      stage = next;
    }
    return true;
  };
  /** `until`: the step ends there, as by a kill. */
  const step = async (
    n: number,
    {
      of = run,
      owner = 'first',
      twice = false,
      until = 'commit',
    }: { of?: string; owner?: string; twice?: boolean; until?: 'gate' | 'commit' } = {},
  ) => {
    const again: typeof call = async (work, input) => {
      if (twice) await call(work, input);
      return call(work, input);
    };
    const plan = await again(activities.planStep, { run: of, step: n, owner });
    if (plan.done) return plan.done;
    const ref = { run: of, step: n, epoch: plan.epoch, version: plan.version };
    const slots = [...plan.evaluate];
    for (let group = 0; group < plan.groups; group++) {
      const prelude = plan.preludes?.find((one) => one.group === group);
      if (prelude !== undefined && !(await prepare(ref, group, prelude.stage, again))) continue;
      if (until === 'gate') return null;
      const made = await again(activities.generate, {
        ...ref,
        group,
        first: 0,
        count: plan.responses,
        responses: plan.responses,
      });
      for (const slot of made.missing)
        await again(activities.generate, {
          ...ref,
          group,
          first: slot % plan.responses,
          count: 1,
          responses: plan.responses,
        });
      const all = Array.from({ length: plan.responses }, (_, index) => group * plan.responses + index);
      slots.push(...(await again(activities.applyResponses, { ...ref, slots: all, final: all })).evaluate);
    }
    if (slots.length > 0) await again(activities.evaluate, { ...ref, slots });
    if (plan.judgesIdea === true) {
      await again(activities.initialIdea, ref);
      await again(activities.ask, { ...ref, group: 0, stage: 'judge' }).catch(() => undefined);
    }
    return again(activities.commitStep, { ...ref, generation: plan.generation, injected: plan.injected, omitted: [] });
  };
  const programs = async (of = run): Promise<readonly ProgramDocument[]> => {
    const all: ProgramDocument[] = [];
    for await (const program of store.eachProgram(of, { fromStep: 0 })) all.push(program);
    return all;
  };
  return {
    store,
    activities,
    call,
    step,
    programs,
    asked,
    initially,
    evaluated,
    task,
    config,
    open: () => call(activities.openRun, { run, owner: 'first', config }),
    /** The initial program and so many rounds. */
    play: async (rounds: number) => {
      await call(activities.openRun, { run, owner: 'first', config });
      const summaries = [];
      for (let n = 0; n <= rounds; n++) summaries.push((await step(n))!);
      return summaries;
    },
    text: async (ref: string): Promise<string> => (await store.getTexts([ref])).get(ref)!,
    document: async (of = run) => (await store.readRun(of))!,
  };
};
