// A run of `code` over the store in memory with a scripted model: what it answers depends on the request alone. For
// tests of operators, prompts and rebuilds.
import { MockActivityEnvironment } from '@temporalio/testing';
import type { StepPlan } from '../../../activities/interface/step.ts';
import { createAsk } from '../../../activities/llm/chat/ask.ts';
import type { ChatRequest, Sampled } from '../../../activities/llm/chat/client.ts';
import { createGenerate } from '../../../activities/llm/chat/generate.ts';
import { createEmbed, type EmbedDeps } from '../../../activities/llm/embeddings/embed.ts';
import { createRunActivities } from '../../../activities/run/open-run.ts';
import { createNoopEvaluator } from '../../../activities/sandbox/host/evaluator.ts';
import { createAdvance } from '../../../activities/step/ask/advance.ts';
import { createApplyResponses } from '../../../activities/step/apply/apply-responses.ts';
import { createCommitStep } from '../../../activities/step/commit/commit-step.ts';
import { createEvaluate } from '../../../activities/step/evaluate/evaluate.ts';
import { createIsland } from '../../../activities/step/commit/ahead.ts';
import { createPlanIsland } from '../../../activities/step/plan/plan-island.ts';
import { createTurnStream } from '../../../activities/step/plan/plan-stream.ts';
import { createPlanStep } from '../../../activities/step/plan/plan-step.ts';
import type { ProgramDocument, PromptDocument } from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { shippedTask } from '../domain/shipped-tasks.ts';
import { promptId } from '../../../evolution/ids.ts';
import type { Task } from '../../../evolution/task/task.ts';
import type { Stage } from '../../../evolution/stages.ts';
import type { Message } from '../../../evolution/types.ts';
import { memoryStore } from '../../doubles/memory-store.ts';
import { configFrom } from '../domain/asked-run.ts';

export const run = 'r';
export const edit = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n`;

/** Some tokens of an answer, which derive from its seed. */
export const tokensOf = (seed: number): Sampled => {
  const length = 1 + (seed % 9);
  return {
    prompt: Int32Array.from([1, 2, 3]),
    response: Int32Array.from({ length }, (_, at) => (seed + at) % 256),
    logprobs: Float32Array.from({ length }, (_, at) => -at / 4),
  };
};

type Script = {
  /** The tokens of an answer to a model that learns. */
  readonly sampled?: (seed: number) => Sampled;
  /** Answer for a program; `line`: the line of the current program that changes from child to child. */
  readonly program?: (request: ChatRequest, line: string) => string;
  /** Answer for a prompt; `prompt`: its text. */
  readonly meta?: (request: ChatRequest, prompt: string) => string;
  /** Whether a call of this group for a prompt cannot be made. */
  readonly metaFails?: (group: number) => boolean;
  /** Score of a code, null: invalid. */
  readonly score?: (code: string) => number | null;
  /** Answer to a request for notes on the run. */
  readonly notes?: (request: ChatRequest) => string;
  /** Answer about a near-duplicate. */
  readonly novelty?: (request: ChatRequest) => string;
  /** Answer to a call for a delta that was left out. */
  readonly repair?: (request: ChatRequest) => string;
  /** The task's own. */
  readonly templates?: Task['templates'];
};

/** The line of the current program that holds `middle_x =`. */
const lineIn = (messages: readonly Message[]): string =>
  /^ *middle_x = .*$/m.exec(messages.at(-1)!.content.split('# Current program').at(-1)!)![0];
export const changed = (line: string, seed: number): string => line.replace(/=.*/, `= 0.${100_000 + (seed % 800_000)}`);
const promptIn = (messages: readonly Message[]): string =>
  /# PROMPT-BLOCK-START[^]*?# PROMPT-BLOCK-END/.exec(messages.at(-1)!.content)![0];
export const firstLine = (prompt: string): string => prompt.split('\n')[1]!;
export const isMeta = ({ messages }: Pick<ChatRequest, 'messages'>): boolean =>
  messages[0]!.content.startsWith('You write the instructions');

const isRepair = ({ messages }: ChatRequest): boolean => messages[0]!.content.startsWith('# Delta instructions');

const begins = ({ messages }: ChatRequest, words: string): boolean => messages[0]!.content.startsWith(words);
export const isNotes = (request: ChatRequest): boolean => begins(request, 'You look through the programs');
export const isNovelty = (request: ChatRequest): boolean => begins(request, 'You review programs');

/** A vector of a code: near to those of codes with a near value in its line. */
const vectorOf = (code: string): readonly number[] => {
  const angle = Number(/middle_x = 0?(\.\d+)/.exec(code)?.[1] ?? 0) * 1.5;
  return [Math.cos(angle), Math.sin(angle)];
};
const embeddingClientFor: EmbedDeps['clientFor'] = async () => ({
  model: 'e',
  client: { embed: async ({ texts }) => ({ vectors: texts.map(vectorOf), tokens: 3 * texts.length }) },
});

export const codeWorld = (settings: object, script: Script = {}) => {
  const store = memoryStore();
  const loadTask = async (id: string): Promise<Task> => ({
    ...(await shippedTask(id)),
    ...(script.templates === undefined ? {} : { templates: script.templates }),
  });
  const asked: ChatRequest[] = [];
  const program =
    script.program ?? ((request, line) => `An idea ${request.seed}.\n${edit(line, changed(line, request.seed))}`);
  const meta =
    script.meta ?? ((request, prompt) => edit(firstLine(prompt), `${firstLine(prompt)}\nHint ${request.seed}.`));
  const chat = async (request: ChatRequest) => {
    asked.push(request);
    const textOfSeed = (seed: number): string =>
      isMeta(request)
        ? meta(request, promptIn(request.messages))
        : isRepair(request)
          ? script.repair!(request)
          : isNotes(request)
            ? script.notes!(request)
            : isNovelty(request)
              ? script.novelty!(request)
              : program({ ...request, seed }, lineIn(request.messages));
    return {
      model: request.model,
      usage: { in: 10, out: 6 },
      choices: Array.from({ length: request.n }, (_, index) => ({
        text: textOfSeed(request.seed + index),
        ...(request.tokens === true ? { sampled: (script.sampled ?? tokensOf)(request.seed + index) } : {}),
        reasoning: null,
        finishReason: 'stop',
      })),
    };
  };
  const clientFor = async ({ name }: { readonly name: string }, served: { readonly model: string } | null = null) => ({
    model: served?.model ?? name,
    client: { models: async () => [], chat },
  });
  const noop = createNoopEvaluator();
  const activities = {
    ...createRunActivities({ store, loadTask }),
    ...createPlanStep({ store, loadTask }),
    ...createPlanIsland({ store, loadTask }),
    ...createAdvance({ store, loadTask }),
    ...createAsk({ store, clientFor }),
    ...createGenerate({ store, clientFor }),
    ...createApplyResponses({ store, loadTask }),
    ...createEvaluate({
      store,
      evaluatorFor: async () => ({
        isolation: 'fake',
        evaluate: async (job, signal) => {
          const evaluation = await noop.evaluate({ ...job, scoring: 'tolerant' }, signal);
          if (script.score === undefined) return evaluation;
          const score = script.score(job.code);
          return score === null
            ? { ...evaluation, outcome: 'invalid', score: null, strictScore: null, reasons: ['two discs meet'] }
            : { ...evaluation, score, strictScore: score };
        },
      }),
    }),
    ...createCommitStep({ store, loadTask }),
    ...createTurnStream({ store, loadTask, ...createCommitStep({ store, loadTask }) }),
    ...createEmbed({ store, islandOf: createIsland({ store, loadTask }), clientFor: embeddingClientFor }),
  };
  const call = <T>(work: (input: never) => Promise<T>, input: unknown): Promise<T> =>
    new MockActivityEnvironment().run(work as (input: unknown) => Promise<T>, input) as Promise<T>;
  /** From slots whose programs are there, or (`apply`) responses, to evaluated programs, as a step's pipeline. */
  const follow = async (
    again: <T>(work: (input: never) => Promise<T>, input: unknown) => Promise<T>,
    {
      plan,
      apply,
      of = run,
      ...at
    }: { plan: StepPlan; apply: boolean; of?: string; slots: readonly number[]; step: number } & {
      ahead?: object;
      stream?: true;
    },
  ): Promise<void> => {
    let { slots } = at;
    if (slots.length === 0) return;
    const ref = { ...at, run: of, epoch: plan.epoch, version: plan.version };
    if (apply) {
      const { evaluate, asks = [] } = await again(activities.applyResponses, { ...ref, final: slots });
      for (const asked of asks)
        await again(activities.ask, { ...ref, group: Math.floor(asked.slot / plan.responses), ...asked });
      slots = evaluate;
    }
    if (plan.embeds === true && slots.length > 0) {
      const { evaluate, asks = [] } = await again(activities.embed, { ...ref, slots });
      for (const asked of asks)
        await again(activities.ask, { ...ref, group: Math.floor(asked.slot / plan.responses), ...asked });
      const judged = asks.map(({ slot }) => slot);
      const { evaluate: novel } =
        judged.length === 0 ? { evaluate: [] } : await again(activities.embed, { ...ref, slots: judged });
      slots = [...evaluate, ...novel];
    }
    if (slots.length > 0) await again(activities.evaluate, { ...ref, slots });
  };
  /** `twice`: every activity is repeated, as by an engine that lost its answer. */
  const step = async (n: number, { twice = false, owner = 'first', of = run } = {}) => {
    const again = async <T>(work: (input: never) => Promise<T>, input: unknown): Promise<T> => {
      if (twice) await call(work, input);
      return call(work, input);
    };
    const plan = await again(activities.planStep, { run: of, step: n, owner });
    const ref = { run: of, step: n, epoch: plan.epoch, version: plan.version };
    await follow(again, { plan, apply: false, of, step: n, slots: plan.evaluate });
    for (let group = 0; group < plan.groups; group += 1) {
      let stage: Stage | null = plan.preludes?.find((prelude) => prelude.group === group)?.stage ?? null;
      while (stage !== null) {
        const failed = script.metaFails?.(group) === true ? 'HTTP 500' : null;
        if (failed === null) await again(activities.ask, { ...ref, group, stage });
        stage = (await again(activities.advance, { ...ref, group, stage, failed })).next;
      }
      const made = await again(activities.generate, {
        ...ref,
        group,
        first: 0,
        count: plan.responses,
        responses: plan.responses,
      });
      await follow(again, { plan, apply: true, of, step: n, slots: made.stored });
    }
    return again(activities.commitStep, { ...ref, generation: plan.generation, injected: plan.injected, omitted: [] });
  };
  const open = () => call(activities.openRun, { run, owner: 'first', config: configOf(settings) });
  const play = async (steps: number, twice = false): Promise<void> => {
    await open();
    for (let n = 0; n <= steps; n++) await step(n, { twice });
  };
  return { store, asked, call, activities, follow, step, open, play };
};

export const configOf = (settings: object) =>
  configFrom({
    method: 'code',
    limits: { steps: 100 },
    seed: 3,
    model: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1', name: 'm' },
    ...settings,
  });

/** Small: two islands of three programs each at first. */
export const SMALL = {
  batch: 4,
  population: { islands: 2, initialisation: 3 },
  migration: { interval: 4 },
  exploration: { start: 0.5, min: 0.4, max: 0.6 },
};

export const programsOf = async (store: Store, of = run): Promise<readonly ProgramDocument[]> => {
  const programs: ProgramDocument[] = [];
  for await (const program of store.eachProgram(of)) programs.push(program);
  return programs;
};

/** Of the steps 1 to `steps`. */
export const plansOf = async (store: Store, steps: number, batch: number): Promise<readonly PromptDocument[]> =>
  [
    ...(
      await store.getPrompts(
        Array.from({ length: steps * batch }, (_, index) =>
          promptId(run, 1 + Math.floor(index / batch), 0, index % batch),
        ),
      )
    ).values(),
  ].sort((a, b) => a.step - b.step || a.group - b.group);

/** What a group's programs were asked with. */
export const messagesOf = async (store: Store, plan: PromptDocument): Promise<readonly Message[]> => {
  const request =
    plan.first === undefined
      ? undefined
      : (await store.getRequests([`${plan._id}:program`])).get(`${plan._id}:program`)!;
  const stored = request?.messages ??
    plan.messages ?? [
      { role: 'system' as const, content: plan.system },
      { role: 'user' as const, content: plan.user },
    ];
  const texts = await store.getTexts(stored.map(({ content }) => content));
  return stored.map(({ role, content }) => ({ role, content: texts.get(content)! }));
};

export const textOf = async (store: Store, ref: string): Promise<string> => (await store.getTexts([ref])).get(ref)!;
