// News of the server, for all parts of a page over one connection a topic. A page that nobody sees follows nothing: a
// browser opens few connections to a server, and many pages in the background would use them up.
import type { LiveEvent } from '../../data/live.ts';

type Listener = (event: LiveEvent) => void;
const AGAIN_MS = 2_000;

class Topic {
  readonly #address: string;
  readonly #listeners = new Set<Listener>();
  #events: EventSource | null = null;
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
    if (document.hidden && this.#events !== null) {
      this.#close();
      // Whatever happens meanwhile is asked for when somebody looks again.
      this.#lost = true;
    } else if (!document.hidden && this.#events === null) this.#open();
  };

  #open(): void {
    const events = new EventSource(this.#address);
    this.#events = events;
    events.onmessage = ({ data }) => this.#tell(JSON.parse(String(data)) as LiveEvent);
    events.onopen = () => {
      if (this.#lost) this.#tell({ kind: 'back' });
      this.#lost = false;
    };
    events.onerror = () => {
      if (!this.#lost) this.#tell({ kind: 'away', why: 'The server of this page does not answer.' });
      this.#lost = true;
      // After an answer that is none, such as that of a server that is just starting, the browser gives up.
      if (events.readyState !== EventSource.CLOSED) return;
      this.#close();
      this.#timer = setTimeout(this.#look, AGAIN_MS);
    };
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#events?.close();
    this.#events = null;
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
