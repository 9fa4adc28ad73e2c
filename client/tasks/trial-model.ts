// The model that a task's own evaluator asks outside any run: this process has the keys and asks, within the bounds that a
// run would keep. What is asked and answered is forgotten with the trial.
import type { ModelClient } from '../../activities/llm/chat/client.ts';
import { promptTokens, withUsage } from '../../activities/llm/chat/usage.ts';
import { readMessages } from '../../activities/llm/chat/messages.ts';
import { createOpenAiClient } from '../../activities/llm/openai/openai-client.ts';
import { createKeyRing, type KeyRing } from '../../activities/llm/transport/key-ring.ts';
import type { Models } from '../../activities/sandbox/contract/types.ts';
import { sha256 } from '../../activities/sha256.ts';
import { type AskModel, type EvaluatorCalls, EvaluatorModel } from '../../activities/step/evaluate/evaluator-model.ts';
import type { CallDocument, RequestDocument } from '../../activities/store/documents/step-documents.ts';
import { costUsd, priceOf } from '../../evolution/budget/money.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { answeredId } from '../../evolution/ids.ts';
import { drawModel, modelPool, modelsFor } from '../../evolution/models/ensemble.ts';
import { counted, dollars } from '../../evolution/reports/number-text.ts';
import { rng, seedOf } from '../../evolution/rng.ts';
import { sumOf } from '../../evolution/statistics.ts';
import type { Place } from '../connect/connection.ts';
import { UsageError } from '../connect/errors.ts';
import { keyFor } from '../connect/keys.ts';

/** A terminal is asked above this. */
const ASK_ABOVE_USD = 1;

const found = <T>(all: ReadonlyMap<string, T>, ids: readonly string[]): Map<string, T> =>
  new Map(ids.flatMap((id): [string, T][] => (all.has(id) ? [[id, all.get(id)!]] : [])));

/** Requests, answers and their texts, for as long as the process lives. */
class Remembered implements EvaluatorCalls {
  readonly #requests = new Map<string, RequestDocument>();
  readonly #calls = new Map<string, CallDocument>();
  readonly #texts = new Map<string, string>();

  getRequests = async (ids: readonly string[]) => found(this.#requests, ids);
  getCalls = async (ids: readonly string[]) => found(this.#calls, ids);
  getTexts = async (refs: readonly string[]) => found(this.#texts, refs);
  putTexts = async (texts: readonly string[]) =>
    texts.map((text) => {
      const ref = sha256(text);
      this.#texts.set(ref, text);
      return ref;
    });
  putRequests = async (requests: readonly RequestDocument[]) => {
    for (const one of requests) this.#requests.set(one._id, one);
    return requests;
  };
  putCall = (call: CallDocument): void => void this.#calls.set(call._id, call);
}

type Requested = { readonly program: string; readonly requests: readonly string[] };

export class TrialModels {
  readonly #config: RunConfig;
  readonly #place: Place;
  readonly #kept = new Remembered();
  readonly #programs = new Map<string, EvaluatorModel>();
  readonly #keys: KeyRing;

  /** The settings are those of a run that fits the task. */
  constructor(config: RunConfig, place: Place) {
    this.#config = config;
    this.#place = place;
    this.#keys = createKeyRing({ home: place.home.root, env: place.env });
    if (this.#pool.some(({ kind }) => kind === 'offline'))
      throw new UsageError(
        'models: expected an endpoint for the role evaluator, got the offline model, which writes programs only',
      );
  }

  /** What so many programs may ask, and what that costs at most. */
  told(programs: number): string {
    const { modelCalls, modelTokens } = this.#config.evaluation;
    const names = [...new Set(this.#pool.map(({ name }) => name))].join(', ');
    const most = this.#most(programs);
    const cost =
      most === null
        ? 'What that costs is not known: the price of a model is not set.'
        : `That costs at most ${dollars(most)} for ${counted(programs, 'evaluation')}.`;
    return `For a program its evaluator may ask ${names} ${counted(modelCalls, 'time')} and use ${counted(modelTokens, 'token')}. ${cost}`;
  }

  /** True where a person at a terminal is asked before. */
  asks(programs: number): boolean {
    return (this.#most(programs) ?? 0) > ASK_ABOVE_USD;
  }

  /** What was asked. */
  get paid(): string {
    const all = [...this.#programs.values()];
    const calls = sumOf(all.map((one) => one.calls));
    const tokens = sumOf(all.map(({ paid }) => paid.tokens));
    const cost = this.#most(0) === null ? 'cost unknown' : dollars(sumOf(all.map(({ paid }) => paid.costUsd)));
    return `The evaluator asked a model ${counted(calls, 'time')}: ${counted(tokens, 'token')}, ${cost}.`;
  }

  readonly answer = ({ program, requests }: Requested, signal: AbortSignal): ReturnType<Models['answer']> => {
    const of = { run: 'trial', step: 0, epoch: 0, version: 0, group: 0, slot: 0, program };
    const ask: AskModel = (call, stop) => this.#ask(answeredId(program, 'evaluator', call.round), stop);
    const model =
      this.#programs.get(program) ?? new EvaluatorModel({ store: this.#kept, ask, of, config: this.#config });
    this.#programs.set(program, model);
    return model.answer(requests, signal);
  };

  async #ask(id: string, signal: AbortSignal): Promise<void> {
    const { messages: stored, stage: _, ...request } = (await this.#kept.getRequests([id])).get(id)!;
    const messages = await readMessages(this.#kept, stored);
    const { seed } = this.#config;
    const model = drawModel(this.#config, 'evaluator', rng(seed, 'model', id));
    const { name, temperature, topP, maxTokens, reasoningEffort, stream, timeoutSeconds } = model;
    const timeoutMs = timeoutSeconds * 1000;
    const said = await this.#clientOf(model.baseUrl ?? '', timeoutMs).chat(
      {
        ...{ messages, n: 1, seed: seedOf(seed, id), model: name, key: id },
        ...{ temperature, topP, maxTokens, timeoutMs, reasoningEffort, stream },
      },
      signal,
    );
    const { choices, usage, model: answered } = withUsage(said, promptTokens(messages));
    const [response] = await this.#kept.putTexts([choices[0]?.text ?? '']);
    this.#kept.putCall({
      ...{ ...request, stage: 'evaluator', response: response!, reasoning: null, model: answered, usage },
      finishReason: choices[0]?.finishReason ?? null,
      costUsd: costUsd(usage, priceOf(model)),
    });
  }

  #clientOf(baseUrl: string, timeoutMs: number): ModelClient {
    const { home, env } = this.#place;
    const apiKey = keyFor(home.root, baseUrl, modelPool(this.#config), env) ?? this.#keys.keyOf(baseUrl);
    return createOpenAiClient({ baseUrl, apiKey, timeoutMs, keys: this.#keys });
  }

  get #pool(): RunConfig['models'] {
    return modelsFor(this.#config, 'evaluator');
  }

  /** Null where a price is not known. */
  #most(programs: number): number | null {
    const prices = this.#pool.map(priceOf);
    const dearest = Math.max(...prices.map((price) => Math.max(price?.in ?? NaN, price?.out ?? NaN)));
    return Number.isNaN(dearest) ? null : (this.#config.evaluation.modelTokens * programs * dearest) / 1e6;
  }
}
