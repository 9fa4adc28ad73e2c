// Bodies of answers, read without trust: with limits on their bytes, on what a stream may make its reader keep, and on
// how deep JSON is nested. The limits count what comes out of a compressed body.
import { type ReadableStream, TransformStream } from 'node:stream/web';
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

type EventLimits = { readonly totalBytes: number; readonly eventBytes: number };

/** The same stream, which fails with a ModelError once an event or all of them are longer than allowed. */
export const guardedEvents = (
  body: ReadableStream<Uint8Array>,
  { totalBytes, eventBytes }: EventLimits,
): ReadableStream<Uint8Array> => {
  let total = 0;
  let event = 0;
  let line = 0;
  let afterReturn = false;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        total += chunk.length;
        for (const code of chunk) {
          event++;
          const ends = code === LINE_FEED || code === RETURN;
          if (!ends) line++;
          // An empty line ends an event. Of a line that ends with both characters the second one is no empty line.
          else if (!(code === LINE_FEED && afterReturn)) {
            if (line === 0) event = 0;
            line = 0;
          }
          afterReturn = code === RETURN;
          if (event > eventBytes) break;
        }
        if (event > eventBytes) throw passing(`one event of its stream is longer than ${eventBytes} bytes`, 200);
        if (total > totalBytes)
          throw passing(`its stream is longer than ${totalBytes} bytes, and was not read further`, 200);
        controller.enqueue(chunk);
      },
    }),
  );
};

const [LINE_FEED, RETURN] = [0x0a, 0x0d];
