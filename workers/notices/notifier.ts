// Tells a person when a run needs one or has ended. The engine's worker looks at what the database says, so that
// workflows and their histories know nothing of it. Every engine worker looks; a notice is claimed before it is sent.
import { setTimeout as sleep } from 'node:timers/promises';
import { createKeyRing } from '../../activities/llm/transport/key-ring.ts';
import type { Notice, NoticeDocument } from '../../activities/store/notices.ts';
import type { Store } from '../../activities/store/store.ts';
import { count } from '../../activities/telemetry/metrics.ts';
import type { TemporalUi } from '../../client/connect/connection.ts';
import { type Destinations, readDestinations, secretsOfDestinations } from '../../deploy/host/notify.ts';
import { codeOccasions, type Occasion, occasionsIn, runNotice, sweepNotice } from './events.ts';
import type { Failing } from './failing-code.ts';
import { type DestinationName, send } from './send.ts';

const EVERY_MS = 5_000;
/** What is older is not told: nobody waits for it any more. */
const OLDEST_MS = 24 * 3_600_000;
/** The pause after an attempt that failed; it doubles up to the longest. All of them together take about a day. */
const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 15 * 60_000;
const MOST_ATTEMPTS = 100;
const MOST_AT_ONCE = 20;
const LAST_WORDS_MS = 2_000;
/** An attempt takes less. One whose process died within it is made again by another process after this time. */
const ATTEMPT_MS = 60_000;

type Deps = {
  readonly store: Pick<
    Store,
    | 'noticesSince'
    | 'noticeable'
    | 'claimNotice'
    | 'readNotices'
    | 'listNotices'
    | 'moveNotice'
    | 'readRun'
    | 'readSweep'
  >;
  /** Null where nobody asked for notices. Throws where what was asked for is wrong. */
  readonly destinations: () => Destinations | null;
  readonly ui: () => TemporalUi | null;
  /** Runs whose code fails. */
  readonly failing?: () => Promise<readonly Failing[]>;
  readonly redact: (text: string) => string;
  readonly sending?: typeof send;
};

/** `nowMs` is the time of day; `steadyMs` never jumps. */
type Times = { readonly nowMs: number; readonly steadyMs: number };

const NONE = async (): Promise<readonly Failing[]> => [];

export const createNotifier = ({ store, destinations, ui, failing = NONE, redact, sending = send }: Deps) => {
  /** Occasions that are known to be claimed, or not to be told. */
  const settled = new Set<string>();
  /** By notice, the revision that this process has seen last, since when, and whether it was its own attempt. */
  const watched = new Map<string, { readonly revision: number; readonly sinceMs: number; readonly own: boolean }>();

  const noticeOf = async (one: Occasion): Promise<Notice | null> => {
    if (one.kind === 'sweep') {
      const sweep = await store.readSweep(one.name);
      const [first] = sweep?.runs ?? [];
      const run = first === undefined ? null : await store.readRun(first.run);
      if (sweep === null || run?.config.notify.events.includes(one.event) === false) return null;
      return sweepNotice(one, sweep, { ui: ui(), redact });
    }
    const run = await store.readRun(one.name);
    if (run === null || !run.config.notify.events.includes(one.event)) return null;
    // Phases that were parked already when the last notice was written are told by it.
    if (
      one.code !== true &&
      one.event === 'attention' &&
      (await store.listNotices({ name: one.name })).some(
        ({ event, claimedAt }) => event === 'attention' && claimedAt >= one.at,
      )
    )
      return null;
    return runNotice(one, run, { ui: ui(), redact });
  };

  /** Resolves to the first document of which no notice can be made. It must not keep others from being told. */
  const claim = async (since: Date, nowMs: number): Promise<Error | null> => {
    let unreadable: Error | null = null;
    const from = new Date(Math.max(since.getTime(), nowMs - OLDEST_MS));
    const [noticed, broken] = [await store.noticeable(from), await failing()];
    const occasions = [...occasionsIn(noticed, nowMs), ...codeOccasions(broken, nowMs)].filter(({ at }) => at >= from);
    for (const id of settled) if (!occasions.some((one) => one.id === id)) settled.delete(id);
    for (const one of occasions) {
      if (settled.has(one.id)) continue;
      const known = (await store.readNotices([one.id])).length > 0;
      let notice: Notice | null;
      try {
        notice = known ? null : await noticeOf(one);
      } catch (error) {
        if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
        unreadable ??= new Error(`${one.kind} ${one.name} cannot be read (${error.message})`);
        continue;
      }
      if (notice !== null)
        await store.claimNotice({
          ...{ _id: one.id, run: '', name: one.name, event: one.event, at: one.at },
          ...{ claimedAt: new Date(Math.max(nowMs, one.at.getTime())), notice },
          ...{ state: 'open', revision: 0, done: [], error: null },
        });
      settled.add(one.id);
    }
    return unreadable;
  };

  const isDue = ({ _id, revision }: NoticeDocument, steadyMs: number): boolean => {
    const seen = watched.get(_id);
    if (seen?.revision !== revision) watched.set(_id, { revision, sinceMs: steadyMs, own: false });
    const { sinceMs, own } = watched.get(_id)!;
    if (revision === 0) return true;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attemptsAt(revision) - 1));
    return steadyMs - sinceMs >= pauseMs + (own ? 0 : ATTEMPT_MS);
  };

  const attempt = async (document: NoticeDocument, to: Destinations, steadyMs: number): Promise<void> => {
    const { _id, revision, notice } = document;
    // Whoever moves it makes the attempt.
    if (!(await store.moveNotice(document, {}))) return;
    const mine = { _id, revision: revision + 1 };
    const done = new Set(document.done);
    let error: string | null = null;
    for (const name of namesOf(to).filter((one) => !done.has(one))) {
      try {
        await sending(name, to, notice);
        done.add(name);
        count('notices', { destination: name, outcome: 'sent' });
      } catch (cause) {
        error = redact(`${name}: ${(cause as Error).message}`);
        count('notices', { destination: name, outcome: 'failed' });
      }
    }
    const state = error === null ? 'sent' : attemptsAt(mine.revision) >= MOST_ATTEMPTS ? 'failed' : 'open';
    await store.moveNotice(mine, { state, done: [...done], error });
    watched.set(_id, { revision: mine.revision + 1, sinceMs: steadyMs, own: true });
  };

  return {
    /**
     * Claims what is new and sends what is due. Throws what the store throws, where the destinations are wrong, and
     * at the end where a run cannot be read.
     */
    async look({ nowMs, steadyMs }: Times): Promise<void> {
      const to = destinations();
      if (to === null) return;
      const unreadable = await claim(await store.noticesSince(new Date(nowMs)), nowMs);
      const open = await store.listNotices({ state: 'open' });
      for (const id of watched.keys()) if (!open.some(({ _id }) => _id === id)) watched.delete(id);
      const due = open.filter((one) => isDue(one, steadyMs)).slice(0, MOST_AT_ONCE);
      await Promise.all(due.map((one) => attempt(one, to, steadyMs)));
      if (unreadable !== null) throw unreadable;
    },
  };
};

/** The revision rises when an attempt begins, and when it ends. */
const attemptsAt = (revision: number): number => Math.ceil(revision / 2);

const namesOf = (to: Destinations): readonly DestinationName[] =>
  (['webhook', 'command'] as const).filter((name) => to[name] !== null);

type Started = Pick<Deps, 'store' | 'ui' | 'failing'> & {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
};

/** Looks again and again until it is stopped. What fails is told once and tried at the next look. */
export const startNotifier = ({
  store,
  ui,
  failing,
  home,
  env,
  log,
}: Started): { readonly stop: () => Promise<void> } => {
  const keys = createKeyRing({ home, env });
  const stopped = new AbortController();
  const notifier = createNotifier({
    ...{ store, ui, ...(failing && { failing }), redact: (text) => keys.error(text) },
    destinations() {
      const to = readDestinations(home, env);
      if (to !== null) for (const secret of secretsOfDestinations(home, env)) keys.remember(secret);
      return to;
    },
  });
  const run = async (): Promise<void> => {
    for (let told = ''; !stopped.signal.aborted;) {
      try {
        await notifier.look({ nowMs: Date.now(), steadyMs: performance.now() });
        told = '';
      } catch (error) {
        const words = keys.error((error as Error).message);
        if (words !== told && !stopped.signal.aborted) log(`notices could not be sent: ${words}`);
        told = words;
      }
      await sleep(EVERY_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async stop() {
      stopped.abort();
      // An attempt that is under way is made again by the next process, under the same id.
      await Promise.race([running, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
    },
  };
};
