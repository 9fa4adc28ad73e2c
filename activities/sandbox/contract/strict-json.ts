// The one reader of solutions, whether they come from a program or from a file. Size and depth are looked at before
// anything is parsed, because a text that is nested deeply enough ends whoever parses, writes or walks it.
import type { Json } from '../../../evolution/types.ts';

const MAX_DEPTH = 4;
const LARGEST = 2n ** 53n;

const [QUOTE, BACKSLASH, COLON, COMMA] = ['"', '\\', ':', ','].map((sign) => sign.charCodeAt(0));
const OPENING = new Set(['[', '{'].map((sign) => sign.charCodeAt(0)));
const CLOSING = new Set([']', '}'].map((sign) => sign.charCodeAt(0)));

/**
 * Functions of JSON in Node 24 that the language's types do not know yet (ECMAScript proposal: JSON.parse source text).
 */
const { isRawJSON, rawJSON, parse } = JSON as unknown as {
  isRawJSON(value: unknown): boolean;
  rawJSON(text: string): object;
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): Json;
};

/**
 * Throws where the text is nested too deeply. Gives the number of colons outside strings, which in valid JSON is one
 * for each key that was written, repeated or not.
 */
const writtenKeys = (text: string): number => {
  let [keys, depth, inString] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) inString = !inString;
    else if (inString) at += sign === BACKSLASH ? 1 : 0;
    else if (sign === COLON) keys += 1;
    else if (sign === COMMA) continue;
    else if (OPENING.has(sign)) depth += 1;
    else if (CLOSING.has(sign)) depth -= 1;
    if (depth > MAX_DEPTH) throw new Error(`expected at most ${MAX_DEPTH} levels of nesting`);
  }
  return keys;
};

const keysIn = (value: unknown): number => {
  if (value === null || typeof value !== 'object' || isRawJSON(value)) return 0;
  let keys = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const item of Object.values(value)) keys += keysIn(item);
  return keys;
};

/** A number of which nothing is lost on the way: `1.0` stays a float, which JSON.stringify writes as it came. */
const kept = (_: string, value: unknown, { source }: { readonly source?: string }): unknown => {
  if (typeof value !== 'number' || source === undefined) return value;
  if (!Number.isFinite(value)) throw new Error(`expected finite numbers, got ${source.slice(0, 40)}`);
  if (!Number.isInteger(value)) return value;
  if (/[.eE]/.test(source)) return rawJSON(source);
  if (!Number.isSafeInteger(value) && BigInt(source.replace('-', '')) !== LARGEST)
    throw new Error(
      `expected integers of magnitude at most 2^53, larger ones as strings of digits, got ${source.slice(0, 40)}`,
    );
  return value;
};

/**
 * The value of a JSON text: at most `maxBytes` of UTF-8, at most 4 levels of lists and objects, every key once, finite
 * numbers, integers of magnitude at most 2^53. Throws an Error that says what was expected and what came. Whole floats
 * come as raw JSON (`JSON.isRawJSON`).
 */
export const parseStrictJson = (bytes: Uint8Array, maxBytes = Infinity): Json => {
  if (bytes.length > maxBytes) throw new Error(`expected at most ${maxBytes} bytes, got ${bytes.length}`);
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  const written = writtenKeys(text);
  const value = parse(text, kept);
  if (keysIn(value) !== written) throw new Error('expected every key once');
  return value;
};
