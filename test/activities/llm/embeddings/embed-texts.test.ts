// Requests for embeddings: batches that servers take; what is refused is halved, then cut; a wrong setting ends it at
// once.
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../../activities/llm/chat/client.ts';
import type { EmbeddingRequest } from '../../../../activities/llm/embeddings/client.ts';
import { embedTexts, type TextAnswer } from '../../../../activities/llm/embeddings/embed-texts.ts';

const refused = (status: number, message = 'refused') =>
  new ModelError(message, { status, fatal: true, retryAfterMs: null });
/** `refuses`: the error for a request, or null where it is answered. A vector tells its text's length. */
const run = async (
  texts: readonly string[],
  refuses: (request: EmbeddingRequest, call: number) => Error | null = () => null,
) => {
  const asked: EmbeddingRequest[] = [];
  const answers: TextAnswer[][] = [];
  const client = {
    async embed(request: EmbeddingRequest) {
      asked.push(request);
      const error = refuses(request, asked.length - 1);
      if (error) throw error;
      return {
        vectors: request.texts.map((text) => [text.length, 1]),
        tokens: request.texts.reduce((sum, text) => sum + text.length, 0),
      };
    },
  };
  const work = embedTexts({
    client,
    texts,
    model: 'm',
    dimensions: null,
    timeoutMs: 1_000,
    keyOf: (position) => `key${position}`,
    signal: new AbortController().signal,
  });
  let error: unknown = null;
  try {
    for await (const answer of work) answers.push([...answer]);
  } catch (failure) {
    error = failure;
  }
  return { asked, answers, all: answers.flat().sort((a, b) => a.position - b.position), error };
};

describe('texts to be embedded', () => {
  it('go in batches of at most 32 texts and 400,000 characters, each answer at once', async () => {
    const { asked, answers, all } = await run(Array.from({ length: 70 }, (_, index) => 'x'.repeat(index + 1)));
    expect(asked.map(({ texts }) => texts.length)).toEqual([32, 32, 6]);
    expect(answers.map((answer) => answer.length)).toEqual([32, 32, 6]);
    expect(all.map(({ position, values, cut, tokens }) => [position, values[0], cut, tokens])).toEqual(
      Array.from({ length: 70 }, (_, index) => [index, index + 1, false, index + 1]),
    );
    expect(new Set(asked.map(({ key }) => key)).size).toBe(3);
    const long = await run(['a'.repeat(300_000), 'b'.repeat(200_000), 'c', 'd'.repeat(900_000), 'e']);
    expect(long.asked.map(({ texts }) => texts.map((text) => text[0]).join(''))).toEqual(['a', 'bc', 'd', 'e']);
    expect((await run([])).asked).toEqual([]);
  });

  it('that are too many for the server are halved until it takes them', async () => {
    const { asked, all, error } = await run(
      Array.from({ length: 32 }, (_, index) => `text ${index}`),
      ({ texts }) => (texts.length > 8 ? refused(422, 'batch size 32 > maximum allowed batch size 8') : null),
    );
    expect(error).toBeNull();
    expect(all.map(({ position, cut }) => [position, cut])).toEqual(
      Array.from({ length: 32 }, (_, index) => [index, false]),
    );
    expect(asked.filter(({ texts }) => texts[0] === 'pass')).toHaveLength(1);
  });

  it('that are too long are cut until the server takes them, and the others are not', async () => {
    const { asked, all, error } = await run(['short', 'y'.repeat(40_000), 'also short'], ({ texts }) =>
      texts.some((text) => text.length > 12_000) ? refused(400, 'maximum context length') : null,
    );
    expect(error).toBeNull();
    expect(all.map(({ values, cut }) => [values[0], cut])).toEqual([
      [5, false],
      [10_000, true],
      [10, false],
    ]);
    expect(new Set(asked.map(({ key }) => key)).size).toBe(asked.length);
  });

  it('of which the server takes nothing get no vector, and cost nothing', async () => {
    const { all, error } = await run(['fine', 'z'.repeat(3_000)], ({ texts }) =>
      texts.some((text) => text.includes('z')) ? refused(400) : null,
    );
    expect(error).toBeNull();
    expect(all).toEqual([
      { position: 0, values: [4, 1], cut: false, tokens: 4 },
      { position: 1, values: [], cut: true, tokens: 0 },
    ]);
  });

  it('that are blank are not asked for', async () => {
    const { asked, all } = await run(['', 'text', ' \n']);
    expect(asked.map(({ texts }) => texts)).toEqual([['text']]);
    expect(all.map(({ values, cut }) => [values.length, cut])).toEqual([
      [0, true],
      [2, false],
      [0, true],
    ]);
  });

  it('go well-formed', async () => {
    const { asked } = await run(['cut \ud83d', `\ud83d\ude00${'😀'.repeat(700)}`], ({ texts }) =>
      texts.some((text) => text.length > 701) ? refused(400) : null,
    );
    expect(asked.flatMap(({ texts }) => texts).every((text) => text.isWellFormed())).toBe(true);
  });

  it('are given up at once where the server refuses any text: a setting is wrong', async () => {
    const { asked, answers, error } = await run(
      Array.from({ length: 32 }, (_, index) => `text ${index}`),
      ({ texts }) => refused(400, `no dimensions for ${texts.length}`),
    );
    expect(error).toMatchObject({ message: 'no dimensions for 32', fatal: true });
    expect(asked).toHaveLength(2);
    expect(answers).toEqual([]);
  });

  it.each([401, 404, 429, 500, null])('are left to the engine when the server fails otherwise (%s)', async (status) => {
    const { asked, answers, error } = await run(
      Array.from({ length: 40 }, (_, index) => `text ${index}`),
      (_, call) =>
        call === 1 ? new ModelError('failed', { status, fatal: status === 401, retryAfterMs: null }) : null,
    );
    expect(error).toMatchObject({ message: 'failed', status });
    expect(asked).toHaveLength(2);
    // The first request is paid, and was handed over.
    expect(answers.map((answer) => answer.length)).toEqual([32]);
  });

  it('are tried again later when the server fails while it is asked whether it takes any text', async () => {
    const { error } = await run(['a', 'b'], (_, call) =>
      call === 0 ? refused(400) : new ModelError('busy', { status: 503, fatal: false, retryAfterMs: null }),
    );
    expect(error).toMatchObject({ message: 'busy', fatal: false });
  });
});
