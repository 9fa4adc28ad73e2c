// Server-sent events, read without trust: the JSON of each one, and the last word of a stream, with limits on bytes.
import { passing } from './model-error.ts';
import { parsed } from './refusal.ts';

/** The stream said that it is over. */
export const DONE = Symbol('the last word of a stream');

type EventLimits = { readonly totalBytes: number; readonly eventBytes: number };

/** Throws a ModelError where an event is no JSON, or one of them or all together are longer than allowed. */
export async function* eventsOf(body: AsyncIterable<Uint8Array>, limits: EventLimits): AsyncGenerator<unknown> {
  const events = new Events(limits);
  for await (const chunk of body) yield* events.read(chunk);
  // Some servers leave out the empty line after the last event.
  yield* events.end();
}

class Events {
  readonly #limits: EventLimits;
  readonly #decoder = new TextDecoder();
  #total = 0;
  #event = 0;
  /** The parts of a line that is not whole yet. */
  #parts: string[] = [];
  #data: string[] = [];
  #afterReturn = false;

  constructor(limits: EventLimits) {
    this.#limits = limits;
  }

  *read(chunk: Uint8Array): Generator<unknown> {
    const { totalBytes, eventBytes } = this.#limits;
    let text = this.#decoder.decode(chunk, { stream: true });
    // Of a line that ends with both characters, the second one is no empty line.
    if (this.#afterReturn && text.startsWith('\n')) text = text.slice(1);
    if (text !== '') this.#afterReturn = text.endsWith('\r');
    const [rest, ...lines] = text.split(/\r\n|\n|\r/).reverse();
    for (const line of lines.reverse()) {
      this.#event += line.length + 1;
      const whole = [...this.#parts, line].join('');
      this.#parts = [];
      yield* this.#line(whole);
    }
    this.#event += rest!.length;
    if (rest !== '') this.#parts.push(rest!);
    if (this.#event > eventBytes) throw passing(`one event of its stream is longer than ${eventBytes} bytes`, 200);
    this.#total += chunk.length;
    if (this.#total > totalBytes)
      throw passing(`its stream is longer than ${totalBytes} bytes, and was not read further`, 200);
  }

  *end(): Generator<unknown> {
    yield* this.#line(this.#parts.join(''));
    yield* this.#line('');
  }

  *#line(line: string): Generator<unknown> {
    if (line.startsWith('data:')) this.#data.push(line.slice(line[5] === ' ' ? 6 : 5));
    if (line !== '') return;
    this.#event = 0;
    const data = this.#data.join('\n').trim();
    this.#data = [];
    // Gateways hand a comment that keeps the connection open on as if it were data.
    if (data === '' || data.startsWith(':')) return;
    if (data === '[DONE]') return void (yield DONE);
    const event = parsed(data);
    if (event === undefined) throw passing('an event of its stream is no JSON', 200);
    yield event;
  }
}
