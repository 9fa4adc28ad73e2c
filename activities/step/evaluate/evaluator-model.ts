// The way of a task's own evaluator to a model, for one program: each request has a number, is stored, asked for and paid
// as a call of the program, and counts against what one program may ask. An evaluation that is repeated after a crash
// gets the stored answers of the same requests.
import { z } from 'zod';
import { modelsFor } from '../../../evolution/models/ensemble.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { answeredId } from '../../../evolution/ids.ts';
import type { Json, Message } from '../../../evolution/types.ts';
import type { AnsweredCall, StepRef } from '../../interface/step.ts';
import { storeMessages } from '../../llm/chat/messages.ts';
import { promptTokens } from '../../llm/chat/usage.ts';
import { missing } from '../../run/step-summary.ts';
import { InfrastructureError, type Models } from '../../sandbox/contract/types.ts';
import { sha256 } from '../../sha256.ts';
import type { CallDocument, StoredMessage } from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';

/** Resolves when the answer is stored. What it throws says nothing about the program. */
export type AskModel = (
  call: StepRef & AnsweredCall & { readonly group: number },
  signal: AbortSignal,
) => Promise<unknown>;

type Of = StepRef & { readonly group: number; readonly slot: number; readonly program: string };
/** Where requests and answers are kept. */
export type EvaluatorCalls = Pick<Store, 'getRequests' | 'putRequests' | 'getCalls' | 'getTexts' | 'putTexts'>;
type Parts = {
  readonly store: EvaluatorCalls;
  readonly ask: AskModel;
  readonly of: Of;
  readonly config: Pick<RunConfig, 'model' | 'models' | 'evaluation'>;
};
type Reply = Awaited<ReturnType<Models['answer']>>[number];

const CONTENT = z.union([
  z.string(),
  z
    .array(z.object({ type: z.literal('text'), text: z.string() }))
    .transform((parts) => parts.map((one) => one.text).join('')),
]);
const ASKED = z.object({
  messages: z
    .array(
      z.object({
        role: z
          .enum(['system', 'developer', 'user', 'assistant'])
          .transform((role) => (role === 'developer' ? 'system' : role)),
        content: CONTENT,
      }),
    )
    .min(1)
    .max(1_000),
  n: z.literal(1).nullish(),
  stream: z.literal(false).nullish(),
  tools: z.array(z.unknown()).max(0).nullish(),
});

/** A request that goes to no model, in the words of an endpoint. */
class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const messagesIn = (request: string): readonly Message[] => {
  const got = (why: string) =>
    new Refused(400, `expected messages of text alone, one whole answer and no tools: ${why}`);
  let read: unknown;
  try {
    read = JSON.parse(request);
  } catch (error) {
    throw got((error as Error).message);
  }
  const { data, error } = ASKED.safeParse(read);
  if (data === undefined) throw got(`${error.issues[0]!.path.join('.')}: ${error.issues[0]!.message}`);
  return data.messages;
};

const keyOf = (messages: readonly StoredMessage[]): string =>
  JSON.stringify(messages.map(({ role, content }) => [role, content]));

export class EvaluatorModel implements Models {
  readonly #parts: Parts;
  /** What each number asked, by those that this evaluation or an earlier attempt has used. */
  #known: Promise<Map<number, string>> | undefined;
  readonly #used = new Set<number>();
  readonly #paid = new Map<number, CallDocument>();
  /** What the answers have taken, and those that are under way can take at most. */
  #tokens = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** So many requests were made for the evaluation. */
  get calls(): number {
    return this.#used.size;
  }

  get paid(): { readonly tokens: number; readonly costUsd: number } {
    const all = [...this.#paid.values()];
    return {
      tokens: all.reduce((sum, { usage }) => sum + usage.in + usage.out, 0),
      costUsd: all.reduce((sum, { costUsd }) => sum + costUsd, 0),
    };
  }

  answer(requests: readonly string[], signal: AbortSignal): Promise<readonly Reply[]> {
    return Promise.all(requests.map((request) => this.#reply(request, signal)));
  }

  async #reply(request: string, signal: AbortSignal): Promise<Reply> {
    try {
      const messages = messagesIn(request);
      const known = await (this.#known ??= this.#load());
      return { status: 200, body: await this.#answered(this.#place(messages, known), messages, signal) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { status: error.status, body: { error: { message: error.message, type: 'invalid_request_error' } } };
    }
  }

  async #load(): Promise<Map<number, string>> {
    const { store, config } = this.#parts;
    const ids = Array.from({ length: config.evaluation.modelCalls }, (_, at) => this.#id(at + 1));
    const [requests, calls] = await Promise.all([store.getRequests(ids), store.getCalls(ids)]);
    const numbered = <T>(found: ReadonlyMap<string, T>) =>
      ids.flatMap((id, at): [number, T][] => (found.has(id) ? [[at + 1, found.get(id)!]] : []));
    for (const [number, call] of numbered(calls)) this.#settle(number, call, 0);
    return new Map(numbered(requests).map(([number, { messages }]) => [number, keyOf(messages)]));
  }

  /** The number of a request. Throws Refused where the program has used up what it may ask. */
  #place(
    messages: readonly Message[],
    known: Map<number, string>,
  ): { readonly number: number; readonly reserved: number } {
    const { modelCalls, modelTokens } = this.#parts.config.evaluation;
    const key = keyOf(messages.map(({ role, content }) => ({ role, content: sha256(content) })));
    const again = [...known].find(([number, one]) => one === key && !this.#used.has(number))?.[0];
    const number = again ?? 1 + Math.max(0, ...known.keys());
    if (number > modelCalls)
      throw new Refused(
        403,
        `the evaluator may ask a model ${modelCalls} times for one program (evaluation.modelCalls)`,
      );
    const most = Math.max(...modelsFor(this.#parts.config, 'evaluator').map(({ maxTokens }) => maxTokens));
    const reserved = this.#paid.has(number) ? 0 : promptTokens(messages) + most;
    if (this.#tokens + reserved > modelTokens)
      throw new Refused(
        403,
        `the evaluator may use ${modelTokens} tokens for one program (evaluation.modelTokens), of which ${this.#tokens} are used, and this request could take ${reserved}`,
      );
    this.#tokens += reserved;
    known.set(number, key);
    this.#used.add(number);
    return { number, reserved };
  }

  async #answered(
    { number, reserved }: { readonly number: number; readonly reserved: number },
    messages: readonly Message[],
    signal: AbortSignal,
  ): Promise<Json> {
    const { store, ask, of } = this.#parts;
    const id = this.#id(number);
    const { program: _, slot, ...place } = of;
    const [own] = await storeMessages(store, [messages]);
    const { run, step, epoch, group } = place;
    const [stored] = await store.putRequests([
      { _id: id, run, step, epoch, group, stage: 'evaluator', messages: own! },
    ]);
    if (keyOf(stored!.messages) !== keyOf(own!))
      throw new InfrastructureError('another worker evaluates the same program: it is evaluated again');
    if (!this.#paid.has(number)) await ask({ ...place, slot, stage: 'evaluator', round: number }, signal);
    const call = (await store.getCalls([id])).get(id);
    if (call === undefined) throw missing(`answer ${id}`);
    this.#settle(number, call, reserved);
    return completionOf(call, (await store.getTexts([call.response])).get(call.response) ?? '');
  }

  #settle(number: number, call: CallDocument, reserved: number): void {
    if (this.#paid.has(number)) return;
    this.#paid.set(number, call);
    this.#tokens += call.usage.in + call.usage.out - reserved;
  }

  #id(number: number): string {
    return answeredId(this.#parts.of.program, 'evaluator', number);
  }
}

const completionOf = ({ _id, model, finishReason, usage }: CallDocument, text: string): Json => ({
  id: _id,
  object: 'chat.completion',
  created: 0,
  model,
  choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: finishReason ?? 'stop' }],
  usage: { prompt_tokens: usage.in, completion_tokens: usage.out, total_tokens: usage.in + usage.out },
});
