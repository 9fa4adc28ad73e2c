// News as server-sent events. A reader who is slow waits for the last one of each kind alone, so it may miss what came
// with those before; then its page asks for it.
import { COLUMN_SETS } from '../../data/columns.ts';
import { TOLD_ANSWERS, type ToldAnswer } from '../../data/live.ts';
import { FairLimit, holderOf } from '../access/fair-limit.ts';
import type { Listener } from '../live/follower.ts';
import { followersOf } from '../live/followers.ts';
import type { Want } from '../live/piece.ts';
import { PieceStream } from '../serving/pieces.ts';
import type { OfDocument } from '../site/asked-run.ts';
import { refuse } from '../site/refusal.ts';
import type { Answers } from '../site/site.ts';

/** Proxies end connections on which nothing comes, and a dead one is noticed when something is sent. */
const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1_000;
const MOST_READERS = 200;

const WANTS: ReadonlySet<string> = new Set([...Object.keys(COLUMN_SETS), ...TOLD_ANSWERS]);
/** Chosen by the page at random, so that it can say later what else it wants. */
const STREAM = /^[a-z0-9]{8,40}$/;

type Stream = { wants: ReadonlySet<Want>; known: ReadonlySet<ToldAnswer> };

/** `ended` is called once, when nobody reads it any more. */
const eventStream = (stream: Stream, follow: (listener: Listener) => () => void, ended: () => void): PieceStream => {
  const waiting = new Map<string, Uint8Array>();
  let more: () => void = () => undefined;
  let isOver = false;
  const put = (kind: string, bytes: Uint8Array): void => {
    waiting.delete(kind);
    waiting.set(kind, bytes);
    more();
  };
  const take: Listener['take'] = ({ kind, bytes, answers }) => {
    // What was away is back, so that nobody need be told of both.
    if (kind === 'back') waiting.delete('away');
    // Answers are told as edits of those before, which this reader will not get.
    if (kind === 'run' && waiting.has(kind)) stream.known = new Set();
    put(kind, bytes(stream.wants, stream.known));
    stream.known = new Set([...stream.known, ...answers.filter((name) => stream.wants.has(name))]);
  };
  put('retry', Buffer.from(`retry: ${RETRY_MS}\n\n`));
  const heart = setInterval(() => put('heart', Buffer.from(':\n\n')), HEARTBEAT_MS);
  const stop = follow({ take, wants: () => stream.wants });
  return new PieceStream({
    take() {
      if (waiting.size === 0) return null;
      const all = [...waiting.values()];
      waiting.clear();
      return all.length === 1 ? all[0]! : Buffer.concat(all);
    },
    whenMore: (call) => {
      more = call;
    },
    end() {
      if (isOver) return;
      isOver = true;
      waiting.clear();
      clearInterval(heart);
      stop();
      ended();
      more();
    },
    isOver: () => isOver,
  });
};

const wantsIn = (text: string): ReadonlySet<Want> => {
  const names = text === '' ? [] : text.split(',');
  const unknown = names.find((name) => !WANTS.has(name));
  if (unknown !== undefined) refuse(`with: expected some of ${[...WANTS].join(', ')}, got ${unknown.slice(0, 100)}`);
  return new Set(names as Want[]);
};

const queryOf = <K extends string>(query: { readonly [name: string]: string }, names: readonly K[]) => {
  const unknown = Object.keys(query).find((name) => !(names as readonly string[]).includes(name));
  if (unknown !== undefined) refuse(`expected ${names.join(', ')}, got ${unknown.slice(0, 100)}`);
  return query as { readonly [name in K]?: string };
};

const nameOf = (text: string): string =>
  STREAM.test(text) ? text : refuse(`as: expected 8 to 40 of a-z and 0-9, got ${text.slice(0, 100)}`);

export const liveAnswers: Answers = (app, site) => {
  const followers = followersOf(site, async (document, name) => {
    const beside: OfDocument = { document };
    const response = await app.request(`/runs/${encodeURIComponent(document.run)}/${name}`, {}, beside);
    if (response.status !== 200) throw new Error(`expected an answer at ${name}, got status ${response.status}`);
    return new TextDecoder().decode(await response.arrayBuffer());
  });
  const readers = new FairLimit(MOST_READERS);
  const named = new Map<string, Stream>();
  app.get('/live', async (c) => {
    const { run, as, with: wanted = '' } = queryOf(c.req.query(), ['run', 'as', 'with']);
    const stream: Stream = { wants: wantsIn(wanted), known: new Set() };
    const name = as === undefined ? null : nameOf(as);
    // A run that is not there is refused now and not followed for ever.
    const id = run === undefined ? null : (await site.looks.run(run)).run;
    let giveUp: () => void = () => undefined;
    const giveBack =
      readers.take(holderOf(c), () => giveUp()) ??
      refuse(`expected at most ${MOST_READERS} pages that follow, and so many do already`, 403);
    const follow = (listener: Listener): (() => void) => {
      if (name !== null) named.set(name, stream);
      const stop = followers.follow(id, listener);
      return () => {
        stop();
        if (name !== null && named.get(name) === stream) named.delete(name);
      };
    };
    const events = eventStream(stream, follow, giveBack);
    giveUp = events.pieces.end;
    return c.body(events, 200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
  });
  /** What is to come with the news of a connection from now on. */
  app.post('/live', (c) => {
    const { as = '', with: wanted = '' } = queryOf(c.req.query(), ['as', 'with']);
    const [stream, wants] = [named.get(nameOf(as)), wantsIn(wanted)];
    if (stream !== undefined) {
      stream.wants = wants;
      stream.known = new Set([...stream.known].filter((name) => wants.has(name)));
    }
    return c.json({ known: stream !== undefined });
  });
};
