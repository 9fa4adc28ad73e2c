// Token ids and logprobs of an answer: the forms of vLLM and SGLang, and what cannot be right.
import { afterEach, describe, expect, it } from 'vitest';
import type { ChatRequest, Sampled } from '../../../../activities/llm/chat/client.ts';
import { createOpenAiClient } from '../../../../activities/llm/openai/openai-client.ts';
import { createKeyRing } from '../../../../activities/llm/transport/key-ring.ts';
import { failure } from '../../../support/models/served.ts';
import {
  type Completion,
  type Endpoint,
  type EndpointOptions,
  startEndpoint,
} from '../../../support/models/endpoint.ts';

let endpoint: Endpoint | null = null;
afterEach(async () => {
  await endpoint?.stop();
  endpoint = null;
});

const REQUEST: ChatRequest = {
  messages: [{ role: 'user', content: 'A prompt with ü.' }],
  ...{ n: 2, seed: 5, model: 'small', temperature: 1, topP: 1, maxTokens: 4000, timeoutMs: 60_000, key: 'k' },
  ...{ tokens: true, stream: true },
};
const ask = async (options: EndpointOptions, request: Partial<ChatRequest> = {}, keys = createKeyRing()) => {
  endpoint = await startEndpoint({ tokens: 'vllm', ...options });
  const client = createOpenAiClient({ baseUrl: endpoint.url, apiKey: null, timeoutMs: 60_000, keys });
  return client.chat({ ...REQUEST, ...request }, new AbortController().signal);
};
const eachChoice =
  (change: (choice: Completion['choices'][number]) => object) =>
  (body: Completion): object => ({ ...body, choices: body.choices.map(change) });
const broken = async (change: (choice: Completion['choices'][number]) => object): Promise<string> => {
  const [first] = (await ask({ altered: eachChoice(change) })).choices;
  expect(first!.text).not.toBe('');
  return (first!.sampled as { broken: string }).broken;
};
describe('the tokens of an answer', () => {
  it.each(['vllm', 'sglang'] as const)('are read as %s gives them, to the token that ends it', async (tokens) => {
    const { choices } = await ask({ tokens });
    expect(choices).toHaveLength(2);
    for (const { text, sampled } of choices) {
      const { prompt, response, logprobs } = sampled as Exclude<Sampled, { broken: string }>;
      expect(Buffer.from(prompt).toString('utf8')).toContain('A prompt with ü.');
      expect(Buffer.from(response.slice(0, -1)).toString('utf8')).toBe(text);
      expect(response.at(-1)).toBe(256);
      expect([...logprobs]).toEqual([...response].map((_, index) => -(1 + (index % 7)) / 8));
    }
  });

  it('are not asked for, nor kept, where nobody learns', async () => {
    const { choices } = await ask({}, { tokens: false, stream: false });
    expect(choices[0]).not.toHaveProperty('sampled');
  });

  it('that cannot be right leave the answer an answer, and say why', async () => {
    expect(await broken(({ logprobs: _, ...rest }) => ({ ...rest, logprobs: { content: [{ logprob: -1 }] } }))).toMatch(
      /expected one logprob for each token, got \d+ tokens and 1 logprobs/,
    );
    expect(await broken((choice) => ({ ...choice, token_ids: idsOf(choice).map(() => 1.5) }))).toMatch(/got 1\.5/);
    expect(await broken((choice) => ({ ...choice, token_ids: idsOf(choice).map(() => 2 ** 31) }))).toMatch(
      /from 0 to 2147483647, got 2147483648/,
    );
    for (const logprob of [null, -1e300, 0.5, '-1'])
      expect(
        await broken((choice) => ({ ...choice, logprobs: { content: idsOf(choice).map(() => ({ logprob })) } })),
      ).toMatch(/expected finite logprobs of at most 0, got .* for token 0/);
    expect(
      await broken((choice) => ({
        ...choice,
        token_ids: Array.from({ length: 4001 }, () => 1),
        logprobs: manyLogprobs,
      })),
    ).toMatch(/at most 4000 tokens, got 4001/);
    const [other] = (await ask({ altered: (body) => ({ ...body, prompt_token_ids: [] }) })).choices;
    expect(other!.sampled).toEqual({ broken: 'no token ids of the prompt came' });
  });

  it('of one answer may be missing; of all of them, the model cannot learn, and that names the setting', async () => {
    let first = true;
    const some = await ask({
      altered: eachChoice((choice) => {
        const { token_ids: _, ...rest } = choice;
        const one = first ? rest : choice;
        first = false;
        return one;
      }),
    });
    expect(some.choices.map(({ sampled }) => 'broken' in sampled!)).toEqual([true, false]);
    const error = await failure(ask({ altered: eachChoice(({ logprobs: _, ...rest }) => rest) }));
    expect(error.fatal).toBe(true);
    expect(error.message).toMatch(/small answers without logprobs: set model\.trainable to false for it, or serve it/);
  });

  it('of an answer that holds a key are not kept, because they can be read as text again', async () => {
    const keys = createKeyRing();
    keys.remember('sk-q7Zx9LmP2vKt84RbWn3s');
    const { choices } = await ask(
      {
        altered: eachChoice((choice) => ({
          ...choice,
          message: { content: 'my key is sk-q7Zx9LmP2vKt84RbWn3s' },
        })),
      },
      {},
      keys,
    );
    expect(choices[0]!.sampled).toEqual({ broken: 'the answer holds a key' });
  });

  it('of long answers are read: each takes lists and mappings of its own', async () => {
    const long = 60_000;
    const ids = Array.from({ length: long }, (_, index) => index % 256);
    const content = ids.map(() => ({ token: '?', bytes: [63], logprob: -0.5, top_logprobs: [] }));
    const altered = eachChoice((choice) => ({ ...choice, token_ids: ids, logprobs: { content } }));
    const { choices } = await ask({ altered }, { n: 1, maxTokens: long });
    expect((choices[0]!.sampled as Exclude<Sampled, { broken: string }>).response).toHaveLength(long);
  });
});

const manyLogprobs = { content: Array.from({ length: 4001 }, () => ({ logprob: -1 })) };
const idsOf = (choice: Completion['choices'][number]): readonly number[] => choice['token_ids'] as readonly number[];
