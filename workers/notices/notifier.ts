// Tells a person when a run needs one or has ended. The engine's worker looks at what the database says, so that
// workflows and their histories know nothing of it. Every engine worker looks; one of them sends.
import type { Client } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKeyRing } from '../../activities/llm/transport/key-ring.ts';
import type { Notice, NoticeDocument } from '../../activities/store/documents/installation-documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { count } from '../../activities/telemetry/metrics.ts';
import type { TemporalUi } from '../../client/connect/connection.ts';
import { type Destination, readDestination, secretsOfDestination } from '../../deploy/host/notify.ts';
import { FAULTS } from '../../client/temporal/ui-views.ts';
import { again } from '../process/again.ts';
import { codeOccasions, type Failing, type Occasion, occasionsIn, runNotice, sweepNotice } from './events.ts';
import { send } from './send.ts';

const EVERY_MS = 5_000;
/** Nobody waits for an older notice any more. */
const OLDEST_MS = 24 * 3_600_000;
/** The pause after an attempt doubles up to the longest. All of them together take about a day. */
const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 15 * 60_000;
const MOST_ATTEMPTS = 100;
const MOST_AT_ONCE = 20;
const LAST_WORDS_MS = 2_000;

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
  readonly destination: () => Destination | null;
  readonly ui: () => TemporalUi | null;
  /** Runs whose code fails. */
  readonly failing?: () => Promise<readonly Failing[]>;
  readonly redact: (text: string) => string;
  readonly sending?: typeof send;
};

const pauseMs = (attempts: number): number => Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));

export class Notifier {
  readonly #deps: Deps;
  /** Ids of the occasions that have a notice, or need none. */
  readonly #settled = new Set<string>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Writes a notice of what is new, and sends what is due. Throws what the store throws, where the destination is
   * wrong, and at the end where a run cannot be read.
   */
  async look(nowMs: number): Promise<void> {
    const { store } = this.#deps;
    const to = this.#deps.destination();
    if (to === null) return;
    const unreadable = await this.#write(await store.noticesSince(new Date(nowMs)), nowMs);
    const due = (await store.listNotices({ state: 'open' })).filter(({ nextAt }) => nextAt.getTime() <= nowMs);
    await Promise.all(due.slice(0, MOST_AT_ONCE).map((one) => this.#attempt(one, to, nowMs)));
    if (unreadable !== null) throw unreadable;
  }

  /** Resolves to the first run of which no notice can be made. It must not keep others from being told. */
  async #write(since: Date, nowMs: number): Promise<Error | null> {
    const { store, failing = async () => [] } = this.#deps;
    let unreadable: Error | null = null;
    const from = new Date(Math.max(since.getTime(), nowMs - OLDEST_MS));
    const [noticeable, broken] = [await store.noticeable(from), await failing()];
    const occasions = [...occasionsIn(noticeable, nowMs), ...codeOccasions(broken, nowMs)].filter(
      ({ at }) => at >= from,
    );
    for (const id of this.#settled) if (!occasions.some((one) => one.id === id)) this.#settled.delete(id);
    for (const one of occasions.filter(({ id }) => !this.#settled.has(id))) {
      try {
        await this.#settle(one, nowMs);
      } catch (error) {
        if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
        unreadable ??= new Error(`${one.kind} ${one.name} cannot be read (${error.message})`);
      }
    }
    return unreadable;
  }

  async #settle(one: Occasion, nowMs: number): Promise<void> {
    const { store } = this.#deps;
    const isWritten = (await store.readNotices([one.id])).length > 0;
    const notice = isWritten ? null : await this.#noticeOf(one);
    if (notice !== null)
      await store.claimNotice({
        ...{ _id: one.id, run: '', name: one.name, event: one.event, at: one.at },
        ...{ claimedAt: new Date(Math.max(nowMs, one.at.getTime())), notice },
        ...{ state: 'open', attempts: 0, nextAt: new Date(nowMs), error: null },
      });
    this.#settled.add(one.id);
  }

  /** Null where the run names no such event, or an earlier notice tells of it. */
  async #noticeOf(one: Occasion): Promise<Notice | null> {
    const { store, ui, redact } = this.#deps;
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
    const earlier = one.code === true || one.event === 'ended' ? [] : await store.listNotices({ name: one.name });
    if (earlier.some(({ event, claimedAt }) => event === 'attention' && claimedAt >= one.at)) return null;
    return runNotice(one, run, { ui: ui(), redact });
  }

  /** A process that dies in an attempt leaves the next one to whoever looks after the pause. */
  async #attempt(document: NoticeDocument, to: Destination, nowMs: number): Promise<void> {
    const { store, redact, sending = send } = this.#deps;
    const mine = { _id: document._id, attempts: document.attempts + 1 };
    const nextAt = new Date(nowMs + pauseMs(mine.attempts));
    if (!(await store.moveNotice(document, { attempts: mine.attempts, nextAt }))) return;
    try {
      await sending(to, document.notice);
      count('notices', { destination: to.kind, outcome: 'sent' });
      await store.moveNotice(mine, { state: 'sent', error: null });
    } catch (cause) {
      count('notices', { destination: to.kind, outcome: 'failed' });
      const error = redact(`${to.kind}: ${(cause as Error).message}`);
      await store.moveNotice(mine, { state: mine.attempts >= MOST_ATTEMPTS ? 'failed' : 'open', error });
    }
  }
}

/**
 * Makes the function that asks the server for runs whose code fails: nothing of such a run is parked, because what would
 * say so is what fails. The server lists an execution after some failures of one task. Of each run it gives one, the
 * same as long as the same ones fail. Where the server does not answer there are none; others tell of that.
 */
export const failingRuns =
  ({ workflow }: Pick<Client, 'workflow'>): (() => Promise<readonly Failing[]>) =>
  async () => {
    const first = new Map<string, string>();
    try {
      for await (const { workflowId, runId } of workflow.list({ query: `ExecutionStatus = "Running" AND ${FAULTS}` })) {
        const [, run] = /^run\/([^/]+)/.exec(workflowId) ?? [];
        if (run !== undefined && !(first.get(run)! < runId)) first.set(run, runId);
      }
    } catch {
      return [];
    }
    return [...first].map(([run, execution]) => ({ run, execution })).sort((a, b) => (a.run < b.run ? -1 : 1));
  };

type Started = Pick<Deps, 'store' | 'ui' | 'failing'> & {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
};

export const startNotifier = ({ home, env, log, ...deps }: Started): { readonly stop: () => Promise<void> } => {
  const keys = createKeyRing({ home, env });
  const stopped = new AbortController();
  const notifier = new Notifier({
    ...{ ...deps, redact: (text: string) => keys.error(text) },
    destination() {
      const to = readDestination(home, env);
      if (to !== null) for (const secret of secretsOfDestination(home, env)) keys.remember(secret);
      return to;
    },
  });
  const running = again({
    ...{ signal: stopped.signal, everyMs: EVERY_MS, look: () => notifier.look(Date.now()) },
    log: (words) => log(`notices could not be sent: ${keys.error(words)}`),
  });
  return {
    async stop() {
      stopped.abort();
      // An attempt that is under way is made again by the next process, under the same id.
      await Promise.race([running, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
    },
  };
};
