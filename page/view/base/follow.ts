// News of the server, for all parts of a page over one connection a topic. A page that nobody sees follows nothing: a
// browser opens few connections to a server, and many pages in the background would use them up.
import type { ColumnSet } from '../../data/columns.ts';
import { edited } from '../../data/edit.ts';
import type { LiveEvent, ToldAnswer, ToldEdit } from '../../data/live.ts';
import { ourHeaders } from './session.ts';

/** What is to come with the news of a run. */
export type Want = ColumnSet | ToldAnswer;
/** Answers by name. Null for one that stays as it is; one that is not there may have changed. */
export type Told = { readonly [name in ToldAnswer]?: { readonly value: unknown } | null };
/** As the server tells it, with whole answers. One that could not be put together is left out. */
export type News =
  | Exclude<LiveEvent, { kind: 'run' }>
  | { readonly kind: 'run'; readonly run: string; readonly answers: Told };
type Listener = (event: News) => void;

const AGAIN_MS = 2_000;
/** Views that come and go at the same time are told to the server at once. */
const TOGETHER_MS = 50;
/** Before each event in a line of its own. */
const DATA = 'data: ';

/** The last answers that came over a connection, because the next ones say only what is other in them. */
class Answers {
  readonly #last = new Map<string, { readonly number: number; readonly text: string }>();

  #put(name: string, { number, of, edit }: ToldEdit): readonly [string, { readonly value: unknown }] | null {
    const last = of === null ? { number: null, text: '' } : this.#last.get(name);
    if (last?.number !== of) return null;
    const text = edited(last.text, edit);
    this.#last.set(name, { number, text });
    return [name, { value: JSON.parse(text) as unknown }];
  }

  whole(event: LiveEvent): News {
    if (event.kind !== 'run') return event;
    const found = Object.entries(event.answers ?? {}).map(([name, told]) =>
      told === null ? ([name, null] as const) : this.#put(name, told),
    );
    return { ...event, answers: Object.fromEntries(found.filter((one) => one !== null)) };
  }
}

/** A name for a connection that nobody else has. A page that does not come over TLS has no `randomUUID`. */
const newName = (): string =>
  [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** `isOpen`: the server knows its name. */
type Connection = { readonly control: AbortController; readonly name: string; wants: string; isOpen: boolean };

class Topic {
  readonly #run: string | null;
  readonly #listeners = new Map<Listener, readonly Want[]>();
  #connection: Connection | null = null;
  #lost = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #telling: ReturnType<typeof setTimeout> | undefined;

  constructor(run: string | null) {
    this.#run = run;
  }

  add(on: Listener, wants: readonly Want[]): () => void {
    // The same function may follow twice.
    const listener: Listener = (event) => on(event);
    this.#listeners.set(listener, wants);
    if (this.#listeners.size === 1) {
      document.addEventListener('visibilitychange', this.#look);
      // What else begins to follow now is told with the question.
      this.#timer = setTimeout(this.#look);
    } else this.#tellWants();
    return () => {
      this.#listeners.delete(listener);
      this.#tellWants();
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

  #wants(): string {
    return [...new Set([...this.#listeners.values()].flat())].sort().join();
  }

  #open(): void {
    const [control, name, wants] = [new AbortController(), newName(), this.#wants()];
    const connection = { control, name, wants, isOpen: false };
    this.#connection = connection;
    const ended = (): void => {
      if (control.signal.aborted) return;
      if (!this.#lost) this.#tell({ kind: 'away', why: 'The server of this page does not answer.' });
      this.#lost = true;
      this.#close();
      this.#timer = setTimeout(this.#look, AGAIN_MS);
    };
    const query = new URLSearchParams(this.#run === null ? {} : { run: this.#run, as: name, with: wants });
    const opened = (): void => {
      connection.isOpen = true;
      if (this.#lost) this.#tell({ kind: 'back' });
      this.#lost = false;
      this.#tellWants();
    };
    void this.#read(`/api/live?${query.toString()}`, control.signal, opened).then(ended, ended);
  }

  /** Until the connection ends. A browser's EventSource would do this, but can send no header. */
  async #read(address: string, signal: AbortSignal, opened: () => void): Promise<void> {
    const response = await fetch(address, { headers: ourHeaders(), signal });
    if (!response.ok || response.body === null) throw new Error(`expected news, got an answer of ${response.status}`);
    opened();
    const answers = new Answers();
    let rest = '';
    for await (const part of response.body.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
      const lines = (rest + part).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines)
        if (line.startsWith(DATA)) this.#tell(answers.whole(JSON.parse(line.slice(DATA.length)) as LiveEvent));
    }
  }

  /** Where it is not told, what would have come is asked for. */
  #tellWants(): void {
    clearTimeout(this.#telling);
    if (this.#run === null) return;
    this.#telling = setTimeout(() => {
      const [connection, wants] = [this.#connection, this.#wants()];
      if (connection === null || !connection.isOpen || connection.wants === wants) return;
      connection.wants = wants;
      const query = new URLSearchParams({ as: connection.name, with: wants });
      const init = { method: 'POST', headers: ourHeaders(), signal: connection.control.signal };
      void fetch(`/api/live?${query.toString()}`, init).catch(() => undefined);
    }, TOGETHER_MS);
  }

  #close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#telling);
    this.#connection?.control.abort();
    this.#connection = null;
  }

  #tell(event: News): void {
    for (const listener of [...this.#listeners.keys()]) listener(event);
  }
}

const topics = new Map<string | null, Topic>();

/** Until what it returns is called. */
export const followServer = (run: string | null, listener: Listener, wants: readonly Want[] = []): (() => void) => {
  const topic = topics.get(run) ?? new Topic(run);
  topics.set(run, topic);
  return topic.add(listener, wants);
};
