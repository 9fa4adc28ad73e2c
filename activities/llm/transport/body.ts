// Bodies of answers, read without trust: with limits on their bytes and on how deep JSON is nested. The limits count what
// comes out of a compressed body.
import { passing } from './model-error.ts';

type Bytes = AsyncIterable<Uint8Array>;

const FIRST_BYTES = 64 * 1024;

/** The bytes up to `most`. `whole` is false where there were more, and then the rest is not waited for. */
const readUpTo = async (body: Bytes, most: number): Promise<{ readonly bytes: Buffer; readonly whole: boolean }> => {
  // One buffer that grows: a million chunks of one byte each must not be a million objects.
  let buffer = Buffer.allocUnsafe(Math.min(FIRST_BYTES, most));
  let length = 0;
  for await (const chunk of body) {
    const taken = chunk.subarray(0, most - length);
    if (length + taken.length > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(most, Math.max(2 * buffer.length, length + taken.length)));
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
    }
    buffer.set(taken, length);
    length += taken.length;
    // Leaving the loop cancels the body.
    if (taken.length < chunk.length) return { bytes: buffer.subarray(0, length), whole: false };
  }
  return { bytes: buffer.subarray(0, length), whole: true };
};

/** JSON in UTF-8. Throws a ModelError where it is longer, in another encoding, or nested like no answer. */
export const wholeText = async (body: Bytes, most: number, lists = MAX_LISTS): Promise<string> => {
  const { bytes, whole } = await readUpTo(body, most);
  if (!whole) throw passing(`its answer is longer than ${most} bytes, and was not read further`, 200);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw passing('its answer is not in UTF-8', 200);
  }
  if (!isFlat(text, lists)) throw passing('its answer is nested like no answer, and was not read', 200);
  return text;
};

/** The readable part of an error. */
export const beginning = async (body: Bytes, most: number): Promise<string> => {
  const text = (await readUpTo(body, most)).bytes.toString('utf8');
  // Libraries write a nested error down again, level by level, until their stack ends.
  return isFlat(text) ? text : `(nested like no error) ${text}`;
};

const MAX_DEPTH = 100;
const MAX_LISTS = 200_000;

/** JSON has few levels and not too many lists and mappings, each of which takes much memory. */
const isFlat = (text: string, mostLists = MAX_LISTS): boolean => {
  let depth = 0;
  let lists = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inText) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inText = false;
    } else if (code === QUOTE) inText = true;
    else if (code === OPEN_LIST || code === OPEN_MAPPING) {
      depth++;
      lists++;
      if (depth > MAX_DEPTH || lists > mostLists) return false;
    } else if (code === CLOSE_LIST || code === CLOSE_MAPPING) depth--;
  }
  return true;
};

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_MAPPING, CLOSE_MAPPING] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
