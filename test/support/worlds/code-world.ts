// A run of `code` over the store in memory with a scripted model: what it answers depends on the request alone. For
// tests of operators, prompts and rebuilds.
import { type ChatRequest, ModelError, type Sampled } from '../../../activities/llm/chat/client.ts';
import type { PromptDocument } from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { promptId } from '../../../evolution/ids.ts';
import type { Message } from '../../../evolution/types.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { configFrom } from '../domain/asked-run.ts';
import { shippedTask } from '../domain/shipped-tasks.ts';
import { type Asking, conducted, edit, programsOf, run, textOf } from './conducted.ts';

export { edit, programsOf, run, textOf };

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

export const codeWorld = (settings: object, script: Script = {}) => {
  const asked: ChatRequest[] = [];
  let at: Asking | null = null;
  const program =
    script.program ?? ((request, line) => `An idea ${request.seed}.\n${edit(line, changed(line, request.seed))}`);
  const meta =
    script.meta ?? ((request, prompt) => edit(firstLine(prompt), `${firstLine(prompt)}\nHint ${request.seed}.`));
  const textOfSeed = (request: ChatRequest, seed: number): string =>
    isMeta(request)
      ? meta(request, promptIn(request.messages))
      : isRepair(request)
        ? script.repair!(request)
        : isNotes(request)
          ? script.notes!(request)
          : isNovelty(request)
            ? script.novelty!(request)
            : program({ ...request, seed }, lineIn(request.messages));
  const { step, ...base } = conducted({
    loadTask: async (id: string): Promise<Task> => ({
      ...(await shippedTask(id)),
      ...(script.templates === undefined ? {} : { templates: script.templates }),
    }),
    asking: async (one) => void (at = one),
    chat: (request) => {
      if (isMeta(request) && script.metaFails?.(at!.group) === true)
        throw new ModelError('HTTP 500', { status: 500, fatal: true, retryAfterMs: null });
      asked.push(request);
      return {
        model: request.model,
        usage: { in: 10, out: 6 },
        choices: Array.from({ length: request.n }, (_, index) => ({
          text: textOfSeed(request, request.seed + index),
          ...(request.tokens === true ? { sampled: (script.sampled ?? tokensOf)(request.seed + index) } : {}),
          reasoning: null,
          finishReason: 'stop',
        })),
      };
    },
    evaluated: (evaluation, { code }) => {
      if (script.score === undefined) return evaluation;
      const score = script.score(code);
      return score === null
        ? { ...evaluation, outcome: 'invalid', score: null, strictScore: null, reasons: ['two discs meet'] }
        : { ...evaluation, score, strictScore: score };
    },
    embed: vectorOf,
  });
  const open = () => base.call(base.activities.openRun, { run, owner: 'first', config: configOf(settings) });
  const play = async (steps: number, twice = false): Promise<void> => {
    await open();
    for (let n = 0; n <= steps; n++) await step(n, { twice });
  };
  return { ...base, step: async (...of: Parameters<typeof step>) => (await step(...of))!, asked, open, play };
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
