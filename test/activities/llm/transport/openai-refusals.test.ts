// What endpoints refuse, filter and count: settings that a model does not take, content filters, cached and reasoning
// tokens.
import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../../../activities/llm/chat/client.ts';
import { createOpenAiClient } from '../../../../activities/llm/openai/openai-client.ts';
import { json, REQUEST, served } from '../../../support/models/served.ts';

/** A client of an endpoint that answers with status and body; `bodies`: what it was asked. */
const clientOf = async (answer: (body: any) => readonly [status: number, body: object]) => {
  const bodies: any[] = [];
  const baseUrl = await served((asked, response) => {
    bodies.push(asked);
    json(response, ...answer(asked));
  });
  const client = createOpenAiClient({ baseUrl, apiKey: null, timeoutMs: 60_000 });
  return {
    bodies,
    ask: (request: Partial<ChatRequest> = {}) =>
      client.chat({ ...REQUEST, temperature: 0.7, topP: 0.9, ...request }, new AbortController().signal),
  };
};
const fine = (usage: object = { prompt_tokens: 11, completion_tokens: 7 }) =>
  [200, { model: 'm-1', choices: [{ index: 0, message: { content: 'fine' }, finish_reason: 'stop' }], usage }] as const;
const refusal = (message: string, param: string | null = null) =>
  [400, { error: { message, param, type: 'invalid_request_error', code: 'unsupported_value' } }] as const;

describe('a reasoning model', () => {
  it('is asked with reasoning_effort where it is set, and without it where not', async () => {
    const { ask, bodies } = await clientOf(() => fine());
    await ask({ reasoningEffort: 'high' });
    await ask({ reasoningEffort: null });
    expect(bodies[0]).toMatchObject({ reasoning_effort: 'high' });
    expect(bodies[1]).not.toHaveProperty('reasoning_effort');
  });

  it('that refuses temperature and top_p is asked without them from then on, and the answer says so', async () => {
    const { ask, bodies } = await clientOf((body) =>
      'temperature' in body
        ? refusal(
            "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.",
            'temperature',
          )
        : 'top_p' in body
          ? refusal("Unsupported parameter: 'top_p' is not supported with this model.", 'top_p')
          : fine(),
    );
    expect(await ask()).toMatchObject({ choices: [{ text: 'fine' }], unsent: ['temperature', 'top_p'] });
    expect(await ask()).toMatchObject({ unsent: ['temperature', 'top_p'] });
    expect(bodies).toHaveLength(4);
    expect(bodies[3]).not.toHaveProperty('temperature');
  });

  it('is asked without top_p where that is null', async () => {
    const { ask, bodies } = await clientOf(() => fine());
    await ask({ topP: null });
    expect(bodies[0]).not.toHaveProperty('top_p');
  });

  it('is learned for itself: another model of the endpoint keeps its settings', async () => {
    const { ask, bodies } = await clientOf((body) =>
      body.model === 'm' && 'temperature' in body
        ? refusal("Unsupported parameter: 'temperature'", 'temperature')
        : fine(),
    );
    await ask();
    expect(await ask({ model: 'other' })).not.toHaveProperty('unsent');
    expect(bodies.at(-1)).toMatchObject({ temperature: 0.7 });
  });

  it('is learned by requests that are under way at the same time', async () => {
    const { ask } = await clientOf((body) =>
      'temperature' in body
        ? refusal("Unsupported parameter: 'temperature'", 'temperature')
        : 'max_tokens' in body
          ? refusal("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", 'max_tokens')
          : fine(),
    );
    expect((await Promise.all([1, 2, 3, 4].map(() => ask()))).map(({ choices }) => choices[0]!.text)).toEqual([
      'fine',
      'fine',
      'fine',
      'fine',
    ]);
  });

  it('keeps its settings where leaving them out did not help: the endpoint only repeats what it was sent', async () => {
    let broken = true;
    const { ask, bodies } = await clientOf(() =>
      broken ? refusal('unexpected role in {"temperature": 0.7, "top_p": 0.9, "seed": 5}') : fine(),
    );
    await expect(ask()).rejects.toMatchObject({ status: 400, fatal: true });
    broken = false;
    expect(await ask()).not.toHaveProperty('unsent');
    expect(bodies.at(-1)).toMatchObject({ temperature: 0.7, top_p: 0.9, seed: 5 });
  });
});

it('a request is changed a few times only, whatever the endpoint says', async () => {
  const { ask, bodies } = await clientOf(({ max_tokens: most }) =>
    refusal(`max_tokens must be less than or equal to ${most - 1}`),
  );
  await expect(ask({ maxTokens: 9_000 })).rejects.toMatchObject({ status: 400, fatal: true });
  expect(bodies).toHaveLength(17);
});

describe('several answers to a request', () => {
  it.each([
    refusal("'n' : number must be at most 1"),
    refusal('provider groq does not support the n parameter for multiple choices. Send n separate requests instead.'),
    [
      422,
      { detail: [{ type: 'extra_forbidden', loc: ['body', 'n'], msg: 'Extra inputs are not permitted' }] },
    ] as const,
  ])('are asked for one by one from then on, where the endpoint refuses them: %j', async (...refused) => {
    const { ask, bodies } = await clientOf((body) => ('n' in body ? refused : fine()));
    for (const _ of [1, 2]) expect((await ask({ n: 4 })).choices).toHaveLength(1);
    expect(bodies.map((body) => 'n' in body)).toEqual([true, false, false]);
  });

  it('are none of the matter where another setting is named', async () => {
    const { ask, bodies } = await clientOf((body) =>
      'temperature' in body ? refusal("La valeur de temperature n'est pas acceptée") : fine(),
    );
    await ask({ n: 2 });
    expect(bodies.at(-1)).toMatchObject({ n: 2 });
  });
});

describe('content filters', () => {
  it('that refuse the request are answers, one for each asked for', async () => {
    const { ask } = await clientOf(() => [
      400,
      {
        error: {
          message: 'The response was filtered due to the prompt triggering the content management policy.',
          code: 'content_filter',
          param: 'prompt',
        },
      },
    ]);
    expect(await ask({ n: 2 })).toMatchObject({
      usage: { in: 0, out: 0 },
      choices: [
        { text: '', finishReason: 'content_filter' },
        { text: '', finishReason: 'content_filter' },
      ],
    });
  });

  const flagged = [400, { error: { code: 'content_filter', message: 'flagged' } }] as const;
  const withheld = () => {
    const [status, { choices, ...answer }] = fine();
    return [status, { ...answer, choices: choices.map((one) => ({ ...one, finish_reason: 'SAFETY' })) }] as const;
  };
  it.each([
    ['all', () => flagged, 8, /refused 8 of the last 8 prompts to m for their content \(flagged\): .*evolve retry/],
    ['every second one', (call: number) => (call % 2 ? fine() : flagged), 16, /refused 8 of the last 16 prompts/],
    ['half, in answers', (call: number) => (call % 2 ? fine() : withheld()), 16, /of the last 16 .*its content filter/],
    ['those of late', (call: number) => (call <= 40 ? fine() : flagged), 48, /refused 8 of the last 16 prompts/],
  ])(
    'that refuse %s ask for a person before the next prompt, and the count begins anew',
    async (_, of, sent, words) => {
      let calls = 0;
      const { ask, bodies } = await clientOf(() => of(++calls));
      for (let prompt = 1; prompt <= sent; prompt++) await ask();
      await expect(ask()).rejects.toMatchObject({ fatal: true, message: expect.stringMatching(words) });
      expect(bodies).toHaveLength(sent);
      await ask();
      expect(bodies).toHaveLength(sent + 1);
    },
  );

  it('that refuse less than half, or the prompts of another model, ask for nobody', async () => {
    let calls = 0;
    const { ask } = await clientOf(() => (++calls % 3 ? fine() : flagged));
    for (let prompt = 1; prompt <= 60; prompt++) await ask();
    const apart = await clientOf((body) => (body.model === 'm' ? fine() : flagged));
    for (let prompt = 1; prompt <= 7; prompt++) await apart.ask({ model: 'other' });
    for (let prompt = 1; prompt <= 20; prompt++) await apart.ask();
    await apart.ask({ model: 'other' });
  });
});

describe('usage', () => {
  it('has cached and reasoning tokens where the endpoint names them, and only there', async () => {
    const { ask } = await clientOf(({ seed }) =>
      seed === 1
        ? fine({
            prompt_tokens: 11,
            completion_tokens: 7,
            prompt_tokens_details: { cached_tokens: 8 },
            completion_tokens_details: { reasoning_tokens: 5 },
          })
        : fine({ prompt_tokens: 11, completion_tokens: 7, prompt_tokens_details: null }),
    );
    expect((await ask({ seed: 1 })).usage).toEqual({ in: 11, out: 7, cached: 8, reasoning: 5 });
    expect((await ask({ seed: 2 })).usage).toEqual({ in: 11, out: 7 });
  });
});
