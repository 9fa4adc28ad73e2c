// Embeddings without a language model: a text's tokens, and which tokens stand next to each other, are counted and
// hashed into a vector of fixed length. Texts with the same tokens in the same order have the same vector, and texts
// that share much have near ones; meaning plays no part. So runs with embeddings can be tried and tested offline.
import { tokens } from './completion.ts';
import { MODEL_ID, type EmbeddingsRequest } from './request.ts';

/** Up to so many tokens in a row count as one feature. */
const LONGEST = 3;
const TOKEN = /[A-Za-z_]\w*|\d+(?:\.\d+)?|[^\s\w]/g;

/**
 * The vector has unit length, or is all zeros where the text has no token. White space plays no part. A feature that
 * occurs c times weighs 1 + ln c.
 */
export function embed(text: string, dimensions: number): Float64Array {
  const words = text.match(TOKEN) ?? [];
  const counts = new Map<string, number>();
  for (let length = 1; length <= LONGEST; length += 1) {
    for (let at = 0; at + length <= words.length; at += 1) {
      const feature = words.slice(at, at + length).join(' ');
      counts.set(feature, (counts.get(feature) ?? 0) + 1);
    }
  }
  const vector = new Float64Array(dimensions);
  for (const [feature, count] of counts) {
    // The hash's lowest bit gives the sign, so that features that fall on one place do not only add up.
    const hash = fnv1a(feature);
    const place = (hash >>> 1) % dimensions;
    vector[place] = vector[place]! + (hash % 2 === 0 ? 1 : -1) * (1 + Math.log(count));
  }
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return norm === 0 ? vector : vector.map((value) => value / norm);
}

/** `empty` is the fault that answers without embeddings. */
export function embeddingsBody({ texts, dimensions, format }: EmbeddingsRequest, empty: boolean): string {
  const data = (empty ? [] : texts).map((text, index) => {
    const vector = embed(text, dimensions);
    return {
      object: 'embedding',
      index,
      embedding: format === 'float' ? [...vector] : Buffer.from(Float32Array.from(vector).buffer).toString('base64'),
    };
  });
  const promptTokens = texts.reduce((sum, text) => sum + tokens(text), 0);
  return JSON.stringify({
    object: 'list',
    data,
    model: MODEL_ID,
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
  });
}

/** FNV-1a over UTF-16 units, mixed at the end so that its low bits are spread. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
