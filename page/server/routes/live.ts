// News as server-sent events. For a reader who is slow only the last event of each kind waits, so it may miss the rows
// that came with those before; then its page asks for them.
import { type ColumnSet, columnSets, isColumnSet } from '../../api/rows/columns.ts';
import type { LiveEvent } from '../../api/site/live.ts';
import { FairLimit, holderOf } from '../access/fair-limit.ts';
import type { Listener } from '../live/follower.ts';
import { followersOf } from '../live/followers.ts';
import { refuse } from '../site/refusal.ts';
import type { Answers } from '../site/site.ts';

/** Proxies end connections on which nothing comes, and a dead one is noticed when something is sent. */
const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1_000;
const MOST_READERS = 200;

/** One reader of the news: the source of the stream that is sent to it. */
class Reader implements Listener {
  readonly wants: ReadonlySet<ColumnSet>;
  readonly #follow: (listener: Listener) => () => void;
  readonly #waiting = new Map<string, string>();
  #more: () => void = () => undefined;
  #stop: () => void = () => undefined;
  #heart: NodeJS.Timeout | undefined;

  constructor(wants: ReadonlySet<ColumnSet>, follow: (listener: Listener) => () => void) {
    this.wants = wants;
    this.#follow = follow;
  }

  start(): void {
    this.#put('retry', `retry: ${RETRY_MS}`);
    this.#heart = setInterval(() => this.#put('heart', ':'), HEARTBEAT_MS);
    this.#stop = this.#follow(this);
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    while (this.#waiting.size === 0)
      await new Promise<void>((go) => {
        this.#more = go;
      });
    controller.enqueue(Buffer.from([...this.#waiting.values()].join('')));
    this.#waiting.clear();
  }

  cancel(): void {
    clearInterval(this.#heart);
    this.#stop();
  }

  take(event: LiveEvent): void {
    // A database that is back need not be told of as away.
    if (event.kind === 'back') this.#waiting.delete('away');
    this.#put(event.kind, `data: ${JSON.stringify(event.kind === 'rows' ? this.#wanted(event) : event)}`);
  }

  #wanted({ columns = {}, ...event }: LiveEvent & { readonly kind: 'rows' }): LiveEvent {
    const wanted = Object.entries(columns).filter(([set]) => this.wants.has(set as ColumnSet));
    return wanted.length === 0 ? event : { ...event, columns: Object.fromEntries(wanted) };
  }

  #put(kind: string, text: string): void {
    this.#waiting.delete(kind);
    this.#waiting.set(kind, `${text}\n\n`);
    this.#more();
  }
}

const wantsIn = (text: string): ReadonlySet<ColumnSet> => {
  const names = text === '' ? [] : text.split(',');
  const unknown = names.find((name) => !isColumnSet(name));
  if (unknown !== undefined) refuse(`with: expected some of ${columnSets.join(', ')}, got ${unknown.slice(0, 100)}`);
  return new Set(names as ColumnSet[]);
};

export const liveAnswers: Answers = (app, site) => {
  const followers = followersOf(site);
  const readers = new FairLimit(MOST_READERS);
  app.get('/live', async (c) => {
    const { run, with: wanted = '', ...others } = c.req.query();
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) refuse(`expected run or with, got ${unknown.slice(0, 100)}`);
    const wants = wantsIn(wanted);
    // A run that is not there is refused now and not followed for ever.
    const id = run === undefined ? null : (await site.looks.run(run)).run;
    const reader = new Reader(wants, (listener) => followers.follow(id, listener));
    const body =
      readers.stream(holderOf(c), () => new ReadableStream(reader, { highWaterMark: 0 })) ??
      refuse(`expected at most ${MOST_READERS} pages that follow, and so many do already`, 403);
    return c.body(body, 200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
  });
};
