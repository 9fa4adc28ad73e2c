// News of the server, for all parts of a page over one connection a topic. A page that nobody sees follows nothing: a
// browser opens few connections to a server, and many pages in the background would use them up.
import type { LiveEvent } from '../../data/live.ts';
import { ourHeaders } from './session.ts';

type Listener = (event: LiveEvent) => void;
const AGAIN_MS = 2_000;
/** Before each event in a line of its own. */
const DATA = 'data: ';

class Topic {
  readonly #address: string;
  readonly #listeners = new Set<Listener>();
  #connection: AbortController | null = null;
  #lost = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(run: string | null) {
    this.#address = run === null ? '/api/live' : `/api/live?run=${encodeURIComponent(run)}`;
  }

  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      document.addEventListener('visibilitychange', this.#look);
      this.#look();
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      document.removeEventListener('visibilitychange', this.#look);
      this.#close();
    };
  }

  readonly #look = (): void => {
    if (document.hidden && this.#connection !== null) {
      this.#close();
      // Whatever happens meanwhile is asked for when somebody looks again.
      this.#lost = true;
    } else if (!document.hidden && this.#connection === null) this.#open();
  };

  #open(): void {
    const connection = new AbortController();
    this.#connection = connection;
    const ended = (): void => {
      if (connection.signal.aborted) return;
      if (!this.#lost) this.#tell({ kind: 'away', why: 'The server of this page does not answer.' });
      this.#lost = true;
      this.#close();
      this.#timer = setTimeout(this.#look, AGAIN_MS);
    };
    void this.#read(connection.signal).then(ended, ended);
  }

  /** Until the connection ends. A browser's EventSource would do this, but can send no header. */
  async #read(signal: AbortSignal): Promise<void> {
    const response = await fetch(this.#address, { headers: ourHeaders(), signal });
    if (!response.ok || response.body === null) throw new Error(`expected news, got an answer of ${response.status}`);
    if (this.#lost) this.#tell({ kind: 'back' });
    this.#lost = false;
    let rest = '';
    for await (const part of response.body.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
      const lines = (rest + part).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith(DATA)) this.#tell(JSON.parse(line.slice(DATA.length)) as LiveEvent);
    }
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#connection?.abort();
    this.#connection = null;
  }

  #tell(event: LiveEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

const topics = new Map<string | null, Topic>();

/** Until what it returns is called. */
export const followServer = (run: string | null, listener: Listener): (() => void) => {
  const topic = topics.get(run) ?? new Topic(run);
  topics.set(run, topic);
  return topic.add(listener);
};
