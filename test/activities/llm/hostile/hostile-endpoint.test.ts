// The model client against an endpoint that does harm, scenario by scenario: each ends in bounded time with an outcome
// that the engine knows, no key is in what comes of it, and no number is believed that cannot be.
// Attempts: endpoints and keys.
import { DefaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatResponse } from '../../../../activities/llm/chat/client.ts';
import { asFailure, ModelError } from '../../../../activities/llm/chat/client.ts';
import { createOpenAiClient } from '../../../../activities/llm/openai/openai-client.ts';
import { createKeyRing } from '../../../../activities/llm/transport/key-ring.ts';
import type { Outcome } from '../../../support/hostile/answers.ts';
import { OTHERS_SECRETS } from '../../../support/hostile/echoes.ts';
import { type Hostile, SCENARIOS, startHostile } from '../../../support/hostile/endpoint.ts';
import { REQUEST } from '../../../support/models/served.ts';
import { leaks } from '../../../support/hostile/leaks.ts';

/** It has the shape of no provider's keys, so that it is known by being remembered alone. */
const KEY = 'Zq7xW2pLm9-RtK4vB8nYc3_HdF6gJs1QaE0uTi5wX';
type Came = { readonly outcome: Outcome; readonly answer: ChatResponse | null; readonly error: ModelError | null };

let hostile: Hostile;
beforeAll(async () => {
  hostile = await startHostile();
});
afterAll(() => hostile.stop());

const ask = async (name: string): Promise<Came> => {
  const { stream = false, n = 1, timeoutMs = 60_000 } = SCENARIOS[name]!;
  const client = createOpenAiClient({ baseUrl: hostile.url(name), apiKey: KEY, timeoutMs, keys: createKeyRing() });
  try {
    const answer = await client.chat({ ...REQUEST, stream, n, timeoutMs }, new AbortController().signal);
    return { outcome: 'answer', answer, error: null };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const { nonRetryable } = asFailure(error);
    return { outcome: error.fatal ? 'refused' : nonRetryable ? 'person' : 'unavailable', answer: null, error };
  }
};

/** All that the engine writes of a failure, and all that a log may. */
const written = (error: ModelError): string => {
  const failure = asFailure(error);
  const stored = new DefaultFailureConverter().errorToFailure(failure, defaultPayloadConverter);
  return [error, failure]
    .flatMap((one) => [one.message, one.stack ?? '', inspect(one, { depth: 20, showHidden: true })])
    .concat(JSON.stringify(stored))
    .join('\n');
};

describe('an endpoint that does harm', () => {
  it.concurrent.each(Object.entries(SCENARIOS))('%s', async (name, scenario) => {
    const { outcome, answer, error } = await ask(name);
    expect(outcome, error?.message).toBe(scenario.outcome);
    if (error !== null) {
      expect(leaks(written(error), KEY)).toEqual([]);
      expect(error.message).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
      expect(error.message.length).toBeLessThan(1_500);
      // One line, without characters that move the cursor or turn the text.
      expect(error.message).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      if (scenario.says !== undefined) expect(asFailure(error).message).toMatch(scenario.says);
    }
    if (answer !== null) {
      const { choices, usage, model } = answer;
      // A program may hold eight letters by chance; the whole key it never holds.
      expect(leaks(JSON.stringify(answer), KEY, 20)).toEqual([]);
      for (const { text, reasoning, finishReason } of choices) {
        expect([typeof text, typeof (reasoning ?? ''), typeof (finishReason ?? '')]).toEqual(Array(3).fill('string'));
        expect(text.isWellFormed() && (reasoning ?? '').isWellFormed()).toBe(true);
      }
      expect(typeof model === 'string' && model.length <= 200).toBe(true);
      for (const count of Object.values(usage)) expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
      expect(usage.in + usage.out).toBeLessThan(10_000);
      expect(answer.estimated ?? false).toBe(name.startsWith('usage-') || name.includes('stream'));
    }
  });

  it('also hides keys that nobody here remembers, where they look like one, and says the rest of the error', async () => {
    const { error } = await ask("somebody's-keys");
    for (const secret of OTHERS_SECRETS) expect(written(error!)).not.toContain(secret);
    expect(error!.message).toContain('is wrong');
  });

  it('was asked once each time, and has sent nobody to another host', () => {
    expect(hostile.elsewhere).toEqual([]);
    for (const [name, count] of hostile.arrived)
      expect([name, count <= 2 || name.startsWith('redirect')]).toEqual([name, true]);
  });

  it('is not read further than an honest answer may be long', () => {
    for (const [name, bytes] of hostile.sent) expect([name, bytes < 64 * 1024 * 1024]).toEqual([name, true]);
  });
});
