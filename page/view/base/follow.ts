// News of the server, for all parts of a page over one connection a topic. A page that nobody sees follows nothing: a
// browser opens few connections to a server, and many pages in the background would use them up.
import type { ColumnSet } from '../../api/rows/columns.ts';
import type { LiveEvent } from '../../api/site/live.ts';
import { ourHeaders } from './session.ts';

type Listener = (event: LiveEvent) => void;

const AGAIN_MS = 2_000;
/** Views that come and go at the same time want their rows in one connection. */
const TOGETHER_MS = 50;
/** Before each event in a line of its own. */
const DATA = 'data: ';

type Connection = { readonly control: AbortController; readonly wants: readonly ColumnSet[] };

class Topic {
  readonly #run: string | null;
  readonly #listeners = new Map<Listener, readonly ColumnSet[]>();
  #connection: Connection | null = null;
  #lost = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #checking: ReturnType<typeof setTimeout> | undefined;

  constructor(run: string | null) {
    this.#run = run;
  }

  add(on: Listener, wants: readonly ColumnSet[]): () => void {
    // The same function may follow twice.
    const listener: Listener = (event) => on(event);
    this.#listeners.set(listener, wants);
    if (this.#listeners.size === 1) {
      document.addEventListener('visibilitychange', this.#look);
      // What else begins to follow now is told with the question.
      this.#timer = setTimeout(this.#look);
    } else this.#checkWants();
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

  #wants(): readonly ColumnSet[] {
    return [...new Set([...this.#listeners.values()].flat())].sort();
  }

  #open(): void {
    const [control, wants] = [new AbortController(), this.#wants()];
    this.#connection = { control, wants };
    const ended = (): void => {
      if (control.signal.aborted) return;
      if (!this.#lost) this.#tell({ kind: 'away', why: 'The server of this page does not answer.' });
      this.#lost = true;
      this.#close();
      this.#timer = setTimeout(this.#look, AGAIN_MS);
    };
    const query = new URLSearchParams(this.#run === null ? {} : { run: this.#run, with: wants.join() });
    const opened = (): void => {
      if (this.#lost) this.#tell({ kind: 'back' });
      this.#lost = false;
    };
    void this.#read(`/api/live?${query.toString()}`, control.signal, opened).then(ended, ended);
  }

  /** Until the connection ends. A browser's EventSource would do this, but can send no header. */
  async #read(address: string, signal: AbortSignal, opened: () => void): Promise<void> {
    const response = await fetch(address, { headers: ourHeaders(), signal });
    if (!response.ok || response.body === null) throw new Error(`expected news, got an answer of ${response.status}`);
    opened();
    let rest = '';
    for await (const part of response.body.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
      const lines = (rest + part).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith(DATA)) this.#tell(JSON.parse(line.slice(DATA.length)) as LiveEvent);
    }
  }

  /** A connection without a set that somebody wants now gives way to one with it. */
  #checkWants(): void {
    clearTimeout(this.#checking);
    this.#checking = setTimeout(() => {
      const connection = this.#connection;
      if (connection === null || this.#wants().every((set) => connection.wants.includes(set))) return;
      this.#close();
      this.#open();
    }, TOGETHER_MS);
  }

  #close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#checking);
    this.#connection?.control.abort();
    this.#connection = null;
  }

  #tell(event: LiveEvent): void {
    for (const listener of [...this.#listeners.keys()]) listener(event);
  }
}

const topics = new Map<string | null, Topic>();

/** Follows until the returned function is called. `wants` are the sets whose new rows come with the news. */
export const followServer = (
  run: string | null,
  listener: Listener,
  wants: readonly ColumnSet[] = [],
): (() => void) => {
  const topic = topics.get(run) ?? new Topic(run);
  topics.set(run, topic);
  return topic.add(listener, wants);
};
