// News as server-sent events. They name what is new and hold none of it, so a reader who is slow misses nothing: of each
// kind only the last one waits.
import type { LiveEvent } from '../../data/live.ts';
import { FairLimit, holderOf } from '../access/fair-limit.ts';
import { followersOf } from '../live/follower.ts';
import { refuse } from '../site/refusal.ts';
import type { Answers } from '../site/site.ts';

/** Proxies end connections on which nothing comes, and a dead one is noticed when something is sent. */
const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1_000;
const MOST_READERS = 200;

type Follow = (on: (event: LiveEvent) => void) => () => void;

export const eventStream = (follow: Follow): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder();
  const waiting = new Map<string, string>();
  let wake: (() => void) | null = null;
  let stop: () => void = () => undefined;
  let heart: NodeJS.Timeout | undefined;
  const put = (kind: string, text: string): void => {
    waiting.delete(kind);
    waiting.set(kind, text);
    wake?.();
    wake = null;
  };
  const end = (): void => {
    clearInterval(heart);
    stop();
  };
  return new ReadableStream<Uint8Array>(
    {
      start() {
        put('retry', `retry: ${RETRY_MS}\n\n`);
        heart = setInterval(() => put('heart', ':\n\n'), HEARTBEAT_MS);
        stop = follow((event) => {
          // What was away is back, so that nobody need be told of both.
          if (event.kind === 'back') waiting.delete('away');
          put(event.kind, `data: ${JSON.stringify(event)}\n\n`);
        });
      },
      async pull(controller) {
        if (waiting.size === 0)
          await new Promise<void>((done) => {
            wake = done;
          });
        const text = [...waiting.values()].join('');
        waiting.clear();
        controller.enqueue(encoder.encode(text));
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
};

export const liveAnswers: Answers = (app, site) => {
  const followers = followersOf(site);
  const readers = new FairLimit(MOST_READERS);
  app.get('/live', async (c) => {
    const { run = null, ...unknown } = c.req.query();
    const [name] = Object.keys(unknown);
    if (name !== undefined) refuse(`expected run, got ${name.slice(0, 100)}`);
    // A run that is not there is refused now and not followed for ever.
    const id = run === null ? null : (await site.looks.run(run)).run;
    const stream =
      readers.stream(holderOf(c), () => eventStream((on) => followers.follow(id, on))) ??
      refuse(`expected at most ${MOST_READERS} pages that follow, and so many do already`, 403);
    return c.body(stream, 200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
  });
};
