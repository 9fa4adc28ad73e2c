// Activity `verifyPolicy`: a policy is used only once its server has given a real answer under its name, with the token
// ids and logprobs from which the next one is to learn.
import { ApplicationFailure, Context } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelSettings } from '../../evolution/config/run-config.ts';
import type { ModelLearning, UpdateOrder } from '../interface/learning.ts';
import { type ChatRequest, type ChatResponse, ModelError } from '../llm/chat/client.ts';
import type { GenerateDeps } from '../llm/chat/generate.ts';
import { missing } from '../run/step-summary.ts';
import type { UpdateDocument } from '../store/documents/learning-documents.ts';
import type { Store } from '../store/store.ts';

export type VerifyDeps = {
  readonly store: Pick<Store, 'readUpdate' | 'moveUpdate'>;
  readonly clientFor: GenerateDeps['clientFor'];
  /** The longest wait of an attempt for a server that loads the policy; the engine makes further attempts. */
  readonly patienceMs?: number;
};

const PATIENCE_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 3_000;
const ANSWER_MS = 60_000;

/** The missing part. It lasts where no server that is still loading can mend it. */
type Fault = { readonly message: string; readonly lasts: boolean };

export const createVerifyPolicy = ({ store, clientFor, patienceMs = PATIENCE_MS }: VerifyDeps): ModelLearning => ({
  async verifyPolicy(order) {
    const update = await store.readUpdate(order.run, order.updateId);
    if (update === null) throw missing(`update ${order.run}:${order.updateId}`);
    const served = update.served ?? { baseUrl: update.serveUrl, model: order.policy };
    const { client, model, baseUrl = served.baseUrl ?? 'the server of policies' } = await clientFor(AS_POLICY, served);
    const { cancellationSignal: signal } = Context.current();
    const until = performance.now() + patienceMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const fault = await client.chat(questionTo(model, update), signal).then(
        (answer) => faultOf(answer, model),
        (error: unknown) => {
          signal.throwIfAborted();
          if (!(error instanceof ModelError)) throw error;
          // A server may find the policy a moment later; without tokens, it will not give them later either.
          return {
            message: error.status === 404 ? 'it has no model of that name (it answered 404)' : error.message,
            lasts: error.fatal && error.status === 200,
          };
        },
      );
      if (fault === null) break;
      if (fault.lasts || performance.now() + pause > until) throw notServed(order, baseUrl, fault);
      await sleep(pause, undefined, { signal });
    }
    const servedAtMs = Date.now();
    await store.moveUpdate(order.run, order.updateId, ['applied', 'published'], { servedAt: new Date(servedAtMs) });
    return { baseUrl, servedAtMs };
  },
});

/** A policy is asked by its served name at its server; of the settings only these count. */
const AS_POLICY: Pick<ModelSettings, 'kind' | 'baseUrl' | 'name' | 'timeoutSeconds'> = {
  ...{ kind: 'openai', baseUrl: null, name: 'policy', timeoutSeconds: ANSWER_MS / 1000 },
};

const questionTo = (model: string, { hyper, updateId }: UpdateDocument): ChatRequest => ({
  messages: [{ role: 'user', content: 'Answer with the one word: ready' }],
  ...{ n: 1, seed: 0, model, temperature: temperatureIn(hyper), topP: 1, maxTokens: 8 },
  ...{ timeoutMs: ANSWER_MS, key: `${updateId}-verify`, tokens: true },
});

const temperatureIn = (hyper: string): number => {
  const { temperature } = JSON.parse(hyper) as { readonly temperature?: unknown };
  return typeof temperature === 'number' && temperature > 0 ? temperature : 1;
};

const faultOf = (answer: ChatResponse, model: string): Fault | null => {
  if (answer.model !== model)
    return { message: `expected an answer of ${model}, got one of ${answer.model}`, lasts: false };
  const sampled = answer.choices[0]?.sampled;
  if (sampled === undefined) return { message: 'expected an answer, got none', lasts: false };
  return 'broken' in sampled ? { message: sampled.broken, lasts: true } : null;
};

const notServed = ({ policy }: UpdateOrder, baseUrl: string, { message }: Fault): ApplicationFailure =>
  ApplicationFailure.create({
    message: `${baseUrl} does not serve policy ${policy}: ${message}. Look at that server, or correct learning.serve and learning.serveUrl`,
    type: 'PolicyNotServed',
  });
