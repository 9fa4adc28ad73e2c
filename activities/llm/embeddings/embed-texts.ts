// Asks an endpoint for the embeddings of texts, in requests that it takes. The answers come one request at a time, so
// that each is stored before the next one is paid. No program is a reason to stop: a text that an endpoint refuses for
// its length is cut.
import { ModelError } from '../chat/client.ts';
import { shares } from '../chat/usage.ts';
import type { EmbeddingClient, EmbeddingRequest } from './client.ts';

/**
 * The texts of one request (several servers take at most 32), and their characters together (OpenAI takes 300,000
 * tokens).
 */
const MAX_TEXTS = 32;
const MAX_CHARS = 400_000;
/** A text that is refused even at this length holds something else that the endpoint does not take. */
const SHORTEST_CUT = 500;
/** The texts are too long, too many or cannot be processed, or a setting is wrong for any text. */
const REFUSALS = new Set([400, 413, 422]);
/** A text that no endpoint refuses. */
const PROBE = 'pass';

export type TextAnswer = {
  /** Position of the text among those asked for. */
  readonly position: number;
  /** The vector as it came. It is empty where the endpoint takes nothing of the text. */
  readonly values: readonly number[];
  /** The vector stands only for the beginning of the text. */
  readonly cut: boolean;
  readonly tokens: number;
};
type EmbedTexts = Omit<EmbeddingRequest, 'texts' | 'key'> & {
  readonly client: EmbeddingClient;
  readonly texts: readonly string[];
  /** The key of the request that begins with this position. */
  readonly keyOf: (position: number) => string;
  readonly signal: AbortSignal;
};

type Part = { readonly position: number; readonly text: string; readonly cut: boolean };

/** The answers of one request at a time. Throws ModelError where the endpoint fails, or refuses any text at all. */
export async function* embedTexts({
  client,
  texts,
  keyOf,
  signal,
  ...request
}: EmbedTexts): AsyncGenerator<readonly TextAnswer[]> {
  let probed = false;
  const ask = async (parts: readonly Part[]): Promise<readonly TextAnswer[]> => {
    const key = `${keyOf(parts[0]!.position)}+${parts.length}${parts[0]!.cut ? `:${parts[0]!.text.length}` : ''}:embedding`;
    const { vectors, tokens } = await client.embed({ ...request, texts: parts.map(({ text }) => text), key }, signal);
    const shared = shares(
      tokens,
      parts.map(({ text }) => text.length),
    );
    return parts.map(({ position, cut }, index) => ({
      position,
      values: vectors[index]!,
      cut,
      tokens: shared[index]!,
    }));
  };
  /**
   * Throws unless the error is a refusal of these texts. This is asked once, with a text that no working endpoint
   * refuses.
   */
  const requireAboutTexts = async (error: unknown): Promise<void> => {
    if (!isRefusal(error)) throw error;
    if (probed) return;
    await client.embed({ ...request, texts: [PROBE], key: `${keyOf(0)}:probe` }, signal).catch((other: unknown) => {
      throw isRefusal(other) ? error : other;
    });
    probed = true;
  };
  async function* answers(parts: readonly Part[]): AsyncGenerator<readonly TextAnswer[]> {
    let answer: readonly TextAnswer[] | null = null;
    try {
      answer = await ask(parts);
    } catch (error) {
      signal.throwIfAborted();
      await requireAboutTexts(error);
    }
    if (answer !== null) yield answer;
    else if (parts.length > 1) {
      const half = Math.ceil(parts.length / 2);
      yield* answers(parts.slice(0, half));
      yield* answers(parts.slice(half));
    } else if (parts[0]!.text.length <= SHORTEST_CUT) yield [nothingOf(parts[0]!)];
    else
      yield* answers(
        parts.map(({ position, text }) => ({
          position,
          text: text.slice(0, Math.ceil(text.length / 2)).toWellFormed(),
          cut: true,
        })),
      );
  }

  const parts = texts.map((text, position): Part => ({ position, text: text.toWellFormed(), cut: false }));
  const blank = parts.filter(({ text }) => text.trim() === '');
  // Endpoints refuse an empty text, each in its own way, so none is sent.
  if (blank.length > 0) yield blank.map(nothingOf);
  for (const batch of batches(parts.filter((part) => !blank.includes(part)))) yield* answers(batch);
}

const isRefusal = (error: unknown): boolean =>
  error instanceof ModelError && error.status !== null && REFUSALS.has(error.status);

const nothingOf = ({ position }: Part): TextAnswer => ({ position, values: [], cut: true, tokens: 0 });

/** In the order of the texts. A text that is too long for any batch has one of its own. */
const batches = (parts: readonly Part[]): Part[][] => {
  const found: Part[][] = [];
  let chars = 0;
  for (const part of parts) {
    const last = found.at(-1);
    chars += part.text.length;
    if (last !== undefined && last.length < MAX_TEXTS && chars <= MAX_CHARS) last.push(part);
    else {
      found.push([part]);
      chars = part.text.length;
    }
  }
  return found;
};
