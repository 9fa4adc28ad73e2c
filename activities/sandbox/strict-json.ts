// Strict JSON for data made by untrusted code (reference `tasks`, section 5, rule 3): finite numbers, no duplicate keys, bounded depth.
// Called by candidate-output.ts.
import type { Json } from '../../evolution/types.ts';

const MAX_DEPTH = 4;

const countKeys = (value: unknown, depth: number): number => {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error('expected finite numbers');
  if (value === null || typeof value !== 'object') return 0;
  if (depth >= MAX_DEPTH) throw new Error(`expected at most ${MAX_DEPTH} levels of nesting`);
  let keys = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const item of Object.values(value)) keys += countKeys(item, depth + 1);
  return keys;
};

/** Strings of a valid JSON text that are followed by a colon: every key that was written, repeated ones included. */
const writtenKeys = (text: string): number => {
  let keys = 0;
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) if (match[1] !== undefined) keys += 1;
  return keys;
};

/** The value, or an error that says what is wrong. Bytes that are not UTF-8 are refused. */
export const parseStrictJson = (payload: Uint8Array): Json => {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload);
  const value = JSON.parse(text) as Json;
  if (countKeys(value, 0) !== writtenKeys(text)) throw new Error('expected every key once');
  return value;
};
