// One real request to each model before a run starts: the run's own first prompt with all settings, and a sentence that
// makes the answer short. Its answer shows what would stop the run after the start, or cost it more.
import { randomUUID } from 'node:crypto';
import type { ChatRequest, ChatResponse } from '../../activities/llm/chat/client.ts';
import { keepRefused } from '../../activities/llm/openai/refused-settings.ts';
import { createKeyRing, type KeyRing } from '../../activities/llm/transport/key-ring.ts';
import { ModelError } from '../../activities/llm/transport/model-error.ts';
import { costUsd, priceOf } from '../../evolution/budget/money.ts';
import { NETWORK } from '../../deploy/supervisor/children.ts';
import { workersEnvironment } from '../../deploy/supervisor/plan.ts';
import { hideCredentials } from '../../evolution/config/layers.ts';
import type { ModelSettings, RunConfig } from '../../evolution/config/run-config.ts';
import { modelPool } from '../../evolution/models/ensemble.ts';
import { charsOf, isReadInPart, readInPart } from '../../evolution/reports/partial-reads.ts';
import type { Setting } from '../../evolution/models/refusals.ts';
import { count, dollars } from '../../evolution/reports/number-text.ts';
import { seedOf } from '../../evolution/rng.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { Place } from '../connect/connection.ts';
import { MissingError, UsageError } from '../connect/errors.ts';
import { isPolicy, keyOfModel, lackingIn } from './preflight.ts';

/** A run does not wait longer for its start. */
const LONGEST_MS = 60_000;
const ONE_WORD =
  '\n\nThis request only shows, before the work begins, that you can be asked: answer with the one word ready.';
/** What errors say of a run that is under way. */
const OF_RUNS = /,? and (run )?`evolve [^`]*`( to plan anew)?/g;

type Asking = { readonly config: RunConfig; readonly task: Task };
type Question = Asking & { readonly model: ModelSettings; readonly baseUrl: string; readonly n: number };
type Answered = {
  readonly question: Question;
  readonly request: ChatRequest;
  readonly answer: ChatResponse;
  readonly refused: ReadonlySet<Setting>;
};

/** The requests before some runs, one for each model, endpoint and settings of a request. */
export class FirstRequests {
  readonly #runs: readonly Asking[];
  readonly #place: Place;
  readonly #keys: KeyRing;
  #isAsked = false;

  constructor(runs: readonly Asking[], place: Place) {
    this.#runs = runs;
    this.#place = place;
    this.#keys = createKeyRing({ home: place.home.root, env: place.env });
  }

  /** Throws where a run could not go on. Tells what it can go on with, and what was paid. Asks once. */
  async ask(tell: (note: string) => void): Promise<void> {
    if (this.#isAsked) return;
    this.#isAsked = true;
    const all = await Promise.all(this.#questions().map((question) => this.#answerTo(question)));
    const answered = all.filter((one) => typeof one !== 'string');
    const found: Record<string, readonly Setting[]> = {};
    for (const { question, refused } of answered) {
      const key = `${question.baseUrl} ${question.model.name}`;
      found[key] = [...new Set([...(found[key] ?? []), ...refused])];
    }
    keepRefused(this.#place.home.root, found);
    for (const note of new Set(all.flatMap((one) => (typeof one === 'string' ? one : notesOn(one))))) tell(note);
    const lacking = answered.length === 0 ? [] : unknownToWorkers(this.#place);
    if (lacking.length > 0)
      tell(
        `the models answered this shell, and the workers, who ask them from now on, were started without its ${lacking.join(' and ')}: run \`npx evolve up\` in this shell`,
      );
    if (answered.length > 0)
      tell(
        `one request to each model went out before the start, and no limit counts it: ${answered.map(costOf).join('; ')}`,
      );
  }

  #questions(): readonly Question[] {
    const questions = new Map<string, Question>();
    for (const { config, task } of this.#runs)
      for (const model of modelPool(config)) {
        const { kind, baseUrl, name, temperature, topP, maxTokens, reasoningEffort, stream, nativeN } = model;
        // A policy is asked at the server of policies, and not at the endpoint of its entry.
        if (kind === 'offline' || baseUrl === null || isPolicy(model)) continue;
        const n = nativeN === false ? 1 : config.responses;
        const key = JSON.stringify([baseUrl, name, temperature, topP, maxTokens, reasoningEffort, stream, n]);
        if (!questions.has(key)) questions.set(key, { config, task, model, baseUrl, n });
      }
    return [...questions.values()];
  }

  /** The answer, or the note on why there is none. */
  async #answerTo(question: Question): Promise<Answered | string> {
    const { config, task, model, baseUrl, n } = question;
    const { name, temperature, topP, maxTokens, reasoningEffort, stream } = model;
    const [{ createOpenAiClient }, { firstPrompt }] = await Promise.all([
      import('../../activities/llm/openai/openai-client.ts'),
      import('../../activities/step/ask/prompts/first-prompt.ts'),
    ]);
    const apiKey = await keyOfModel(this.#place, baseUrl, modelPool(config), this.#keys);
    const timeoutMs = Math.min(LONGEST_MS, model.timeoutSeconds * 1000);
    const refused = new Map<string, ReadonlySet<Setting>>();
    const client = createOpenAiClient({ baseUrl, apiKey, timeoutMs, keys: this.#keys, refused });
    const request: ChatRequest = {
      messages: (await firstPrompt(task, config)).map((message, index, { length }) =>
        index < length - 1 ? message : { ...message, content: message.content + ONE_WORD },
      ),
      ...{ n, seed: seedOf(config.seed, 'first request'), key: `first-request-${randomUUID()}` },
      ...{ model: name, temperature, topP, maxTokens, reasoningEffort, stream, timeoutMs },
    };
    try {
      const answer = await client.chat(request, new AbortController().signal);
      return { question, request, answer, refused: refused.get(name) ?? new Set() };
    } catch (error) {
      return this.#noteOn(error, question, apiKey);
    }
  }

  async #noteOn(error: unknown, { model, baseUrl }: Question, apiKey: string | null): Promise<string> {
    if (!(error instanceof ModelError)) throw error;
    const { fatal, unmade, status } = error;
    const message = error.message.replace(OF_RUNS, '');
    if (fatal) {
      const { askModelList } = await import('../../activities/llm/transport/model-list.ts');
      const question = { baseUrl, apiKey, timeoutMs: 5_000, keys: this.#keys, model: model.name };
      const models = (await askModelList(question).catch(() => null))?.models ?? null;
      const lacking = models === null ? null : lackingIn(models, model.name);
      throw new UsageError(`${message}${lacking === null ? '' : `; it ${lacking}`}`);
    }
    if (unmade && (status === null || status === 200))
      throw new MissingError(`the model endpoint ${message}: start it, or correct model.baseUrl`);
    return `${message}; the run starts, and asks again as long as needed`;
  }
}

/** Variables of the network that this shell sets in another way than the shell that started the workers. */
const unknownToWorkers = ({ home, env }: Place): readonly string[] => {
  const workers = workersEnvironment(home);
  return workers['EVOLVE_HOME'] === undefined
    ? []
    : [...NETWORK].filter((name) => env[name] && env[name] !== workers[name]);
};

/** An endpoint that gives fewer tokens to an answer says so, in this form, among what was not sent. */
const FEWER_TOKENS = /^max_tokens above (\d+)$/;

const notesOn = ({ question: { config, model, baseUrl, n }, request, answer }: Answered): readonly string[] => {
  const { choices, usage, estimated, unsent = [] } = answer;
  const left = unsent.filter((one) => one !== 'system' && !FEWER_TOKENS.test(one));
  const most = unsent.flatMap((one) => FEWER_TOKENS.exec(one)?.[1] ?? [])[0];
  const limits = (['tokens', 'costUsd'] as const).filter((key) => config.limits[key] !== null);
  const held = limits.map((key) => `limits.${key}`).join(' and ');
  const isCounted = estimated !== true && usage.in + usage.out > 0;
  const read = { chars: charsOf(request.messages), tokens: usage.in };
  const notes = [
    left.length > 0 && `takes no ${left.join(' and no ')}, so that the run asks without`,
    unsent.includes('system') && "knows no system role, so that the system's text begins the first turn of the user",
    most !== undefined &&
      `gives an answer beside this prompt at most ${most} tokens, so that each request that asks for model.maxTokens (${model.maxTokens}) is refused first: set model.maxTokens to ${most}`,
    choices.length < n &&
      `gives ${choices.length} of ${n} answers to one request, so that the others are asked for one by one: model.nativeN false does so at once`,
    choices.some(({ finishReason }) => finishReason === 'content_filter') &&
      'refuses the first prompt for its content: change the words of the task, or ask another model',
    !isCounted &&
      held !== '' &&
      `does not say how many tokens an answer has: they are estimated at one token for four characters, and ${held} ${limits.length === 1 ? 'is' : 'are'} held against that estimate`,
    isCounted && isReadInPart([read]) && readInPart(read),
  ];
  return notes.flatMap((note) => (note === false ? [] : [`${model.name} at ${hideCredentials(baseUrl)} ${note}`]));
};

const costOf = ({ question: { model }, answer: { usage, estimated } }: Answered): string => {
  const price = priceOf(model);
  const cost = price === null ? '' : ` (${dollars(costUsd(usage, price))})`;
  return `${model.name} had ${estimated ? 'about ' : ''}${count(usage.in)} tokens in and ${count(usage.out)} out${cost}`;
};
