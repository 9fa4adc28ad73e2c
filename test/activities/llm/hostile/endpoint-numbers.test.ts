// Numbers and bodies from outside, where a table or a generator says more than a server: token counts, waits, streams
// in pieces of any size, keys that no header takes.
// Attempts: endpoints and keys.
import fc from 'fast-check';
import { ReadableStream } from 'node:stream/web';
import { describe, expect, it } from 'vitest';
import { createOpenAiClient } from '../../../../activities/llm/openai/openai-client.ts';
import { wholeText } from '../../../../activities/llm/transport/body.ts';
import { eventsOf } from '../../../../activities/llm/transport/events.ts';
import { usageFrom, waitFrom } from '../../../../activities/llm/transport/numbers.ts';
import { checkEndpoint } from '../../../../client/runs/preflight.ts';
import { collect } from '../../store/fixtures.ts';

const EXCHANGED = { askedChars: 400, answeredChars: 80, allowedTokens: 100 };

describe('usage', () => {
  it('is believed where it can be', () => {
    const said = {
      prompt_tokens: 90,
      completion_tokens: 20.7,
      prompt_tokens_details: { cached_tokens: 64 },
      completion_tokens_details: { reasoning_tokens: 5 },
    };
    expect(usageFrom(said, EXCHANGED)).toEqual({
      usage: { in: 90, out: 20, cached: 64, reasoning: 5 },
      estimated: false,
    });
    for (const cached of [
      { prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 26 },
      { cache_read_input_tokens: 64, cache_creation_input_tokens: 0 },
      { cached_tokens: 64 },
      { prompt_tokens_details: null, prompt_cache_hit_tokens: 64 },
      { prompt_tokens_details: { cached_tokens: 64 }, cache_read_input_tokens: 64 },
    ])
      expect(usageFrom({ prompt_tokens: 90, completion_tokens: 20, ...cached }, EXCHANGED).usage).toEqual({
        in: 90,
        out: 20,
        cached: 64,
      });
    expect(usageFrom({ prompt_tokens: 90, completion_tokens: 20, cached_tokens: 91 }, EXCHANGED).usage.cached).toBe(
      undefined,
    );
    // Hidden reasoning is longer than what is seen.
    expect(usageFrom({ prompt_tokens: 1, completion_tokens: 90_000 }, EXCHANGED).estimated).toBe(false);
    // No text has no tokens.
    expect(usageFrom({ prompt_tokens: 0, completion_tokens: 0 }, EXCHANGED)).toEqual({
      usage: { in: 100, out: 20 },
      estimated: true,
    });
  });

  it('of any value whatever is two whole numbers, and no larger than texts can have (property)', () => {
    const odd = fc.oneof(fc.double(), fc.integer(), fc.jsonValue(), fc.constantFrom(Infinity, -0, 1e308, 2 ** 53));
    fc.assert(
      fc.property(
        fc.oneof(
          odd,
          fc.record({
            prompt_tokens: odd,
            completion_tokens: odd,
            prompt_tokens_details: odd,
            completion_tokens_details: odd,
          }),
        ),
        (said) => {
          const { usage } = usageFrom(said, EXCHANGED);
          for (const count of Object.values(usage)) expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
          expect(usage.in).toBeLessThan(102_000);
          expect(usage.out).toBeLessThan(102_000);
          expect((usage.cached ?? 0) <= usage.in && (usage.reasoning ?? 0) <= usage.out).toBe(true);
        },
      ),
    );
  });
});

describe('a wait', () => {
  const NOW = Date.parse('2026-11-22T20:00:00Z');
  const wait = (headers: Record<string, string>): number | null => waitFrom(new Headers(headers), NOW);
  it.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
    [{ 'retry-after': '86400' }, 86_400_000],
    [{ 'retry-after': 'Mon, 23 Nov 2026 20:00:00 GMT' }, 86_400_000],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
    [{ 'retry-after': '2026-11-22T20:00:09Z' }, 9_000],
    [{ 'retry-after': '-5' }, null],
    [{ 'retry-after': 'NaN' }, null],
    [{ 'retry-after': '1e9' }, null],
    [{ 'retry-after': 'Infinity' }, null],
    [{ 'retry-after': '999999999999999' }, null],
    [{ 'retry-after': 'tomorrow' }, null],
    [{ 'retry-after': `Mon, ${'9'.repeat(5_000)}` }, null],
    [{}, null],
  ])('%j is %s ms', (headers, ms) => {
    expect(wait(headers)).toBe(ms);
  });
});

const streamOf = (bytes: Uint8Array, size: number): ReadableStream<Uint8Array> => {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
};
const read = (body: Buffer, size: number, limits: Parameters<typeof eventsOf>[1]): Promise<unknown[]> =>
  collect(eventsOf(streamOf(body, size), limits));

describe('a body', () => {
  it('is the same text in pieces of any size, characters cut in the middle too', async () => {
    const text = JSON.stringify({ choices: ['\u00e9 \u{1f600} " \\ [[[{{{', 'x'.repeat(70_000)] });
    for (const size of [1, 3, 4_096, 1e6]) expect(await wholeText(streamOf(Buffer.from(text), size), 1e6)).toBe(text);
  });

  it('is refused one byte above its limit, and taken at it', async () => {
    expect(await wholeText(streamOf(Buffer.from('"abcdef"'), 3), 8)).toBe('"abcdef"');
    await expect(wholeText(streamOf(Buffer.from('"abcdefg"'), 3), 8)).rejects.toThrow('longer than 8 bytes');
  });
});

describe('a stream of events', () => {
  it.each(['\n', '\r\n', '\r'])('ended by %j is counted event by event', async (end) => {
    const event = `: a word${end}data: {"a":${end}data: "\u{1f600}"}${end}${end}`;
    for (const size of [1, 2, 7, 1e6]) {
      const whole = Buffer.from(event.repeat(50));
      const limits = { totalBytes: whole.length, eventBytes: event.length };
      expect(await read(whole, size, limits)).toEqual(Array(50).fill({ a: '\u{1f600}' }));
      const long = Buffer.from(event.slice(0, -end.length).repeat(50));
      await expect(read(long, size, { ...limits, totalBytes: 1e9 })).rejects.toThrow('one event');
      await expect(read(whole, size, { ...limits, totalBytes: 100 })).rejects.toThrow('its stream');
    }
  });
});

describe('a key that no header takes', () => {
  const KEY = 'Zq7xW2pLm9\nRtK4vB8nYc3HdF6gJs1QaE0uTi5wX';
  it('is told without being quoted, before anything is sent', async () => {
    const client = createOpenAiClient({ baseUrl: 'http://127.0.0.1:9/v1', apiKey: KEY, timeoutMs: 1_000 });
    const request = {
      messages: [],
      n: 1,
      seed: 1,
      model: 'm',
      temperature: 1,
      topP: 1,
      maxTokens: 1,
      timeoutMs: 1_000,
      key: 'k',
    };
    const told = /its key has characters that cannot be sent: set OPENAI_API_KEY/;
    await expect(client.chat(request, new AbortController().signal)).rejects.toMatchObject({
      fatal: true,
      message: expect.stringMatching(told),
    });
    await expect(checkEndpoint({ baseUrl: 'http://127.0.0.1:9/v1', model: 'm', apiKey: KEY })).rejects.toThrow(told);
  });
});
