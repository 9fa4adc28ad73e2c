// Sends the steps of all runs to the trackers that the installation names. The engine's worker looks at what the database
// says, so that no run waits for a tracker. Every engine worker looks; one of them sends.
import { setTimeout as sleep } from 'node:timers/promises';
import { contentsOf, type ResultDeps } from '../../activities/results/write-results.ts';
import type { RunDocument, RunStanding } from '../../activities/store/documents/documents.ts';
import type { TrackingDocument } from '../../activities/store/documents/installation-documents.ts';
import { createKeyRing } from '../../activities/llm/transport/key-ring.ts';
import { readTrackers, TRACKERS, type TrackerName, type Trackers } from '../../deploy/servers/trackers.ts';
import { withoutCredentials } from '../../evolution/config/layers.ts';
import { hasEnded } from '../../evolution/run-states.ts';
import { again } from '../process/again.ts';
import { mlflow } from './mlflow.ts';
import { tensorboard } from './tensorboard.ts';
import { type Had, type Point, pointOf, Refused, type Sender } from './tracked.ts';
import { wandb } from './wandb.ts';

const EVERY_MS = 5_000;
/** An attempt ends before others may take it for dead. */
const ATTEMPT_MS = 60_000;
const TAKEN_OVER_MS = 90_000;
/** The pause after a failure doubles up to the longest. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
const LAST_WORDS_MS = 2_000;

/** A tracker that is no `live` one is sent runs that have ended. */
export type Tracker = { readonly name: TrackerName; readonly live: boolean; readonly send: Sender };

export const trackersOf = (named: Trackers, env: NodeJS.ProcessEnv): readonly Tracker[] => {
  const senders: { readonly [name in TrackerName]: (to: string) => Sender } = {
    mlflow: (to) => mlflow(to, env),
    tensorboard,
    wandb: (to) => wandb(to, named.python),
  };
  return TRACKERS.flatMap((name) =>
    named[name] === undefined ? [] : [{ name, live: name !== 'wandb', send: senders[name](named[name]) }],
  );
};

type Deps = ResultDeps & {
  /** Throws where what was asked for is wrong. */
  readonly trackers: () => readonly Tracker[];
  readonly redact: (text: string) => string;
  readonly now: () => number;
};

type Seen = Pick<RunDocument, 'generation' | 'status'>;
const seenOf = (run: Seen): string => `${run.generation} ${hasEnded(run) ? run.status : 'open'}`;

export class Tracking {
  readonly #deps: Deps;
  /** Failures in a row of a tracker, and when it is tried again. Another process finds out for itself. */
  readonly #away = new Map<TrackerName, { readonly failures: number; readonly untilMs: number }>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Throws what the store throws, and where the trackers are named wrongly. */
  async look(): Promise<void> {
    const trackers = this.#deps.trackers();
    if (trackers.length === 0) return;
    const [standings, listed] = [await this.#deps.store.runStates(), await this.#deps.store.listTracking()];
    const known = new Map(listed.map((document) => [document._id, document]));
    await Promise.all(trackers.map((tracker) => this.#follow(tracker, standings, known)));
  }

  async #follow(
    tracker: Tracker,
    standings: readonly RunStanding[],
    known: ReadonlyMap<string, TrackingDocument>,
  ): Promise<void> {
    for (const standing of standings) {
      if ((this.#away.get(tracker.name)?.untilMs ?? 0) > this.#deps.now()) return;
      let document: TrackingDocument | null = known.get(`${tracker.name}:${standing._id}`) ?? null;
      if (!this.#isDue(tracker, standing, document)) continue;
      for (let more = true; more;) {
        const before = document?.step ?? -1;
        document = await this.#attempt(tracker, standing._id, document);
        const { step, error } = document ?? { step: before, error: null };
        more = error === null && step > before && step < standing.committedStep;
      }
    }
  }

  #isDue({ live }: Tracker, standing: RunStanding, document: TrackingDocument | null): boolean {
    if (standing.committedStep < 0 || !(live || hasEnded(standing))) return false;
    if (document === null) return true;
    const hasAll = document.step === standing.committedStep && document.seen === seenOf(standing);
    return !hasAll && document.nextAt.getTime() <= this.#deps.now();
  }

  /** Null where another process is at it, or the run is gone. A process that dies leaves the rest to whoever looks later. */
  async #attempt(tracker: Tracker, id: string, last: TrackingDocument | null): Promise<TrackingDocument | null> {
    const { store, redact, now } = this.#deps;
    const run = await store.readRun(id);
    if (run === null) return null;
    const before = last ?? {
      ...{ _id: `${tracker.name}:${id}`, run: id, tracker: tracker.name, step: -1, marker: null, rewinds: 0, bytes: 0 },
      ...{ seen: '', attempts: 0, nextAt: new Date(now()), error: null },
    };
    const mine = { ...before, attempts: before.attempts + 1, nextAt: new Date(now() + TAKEN_OVER_MS) };
    if (!(await store.moveTracking(mine, before.attempts))) return null;
    const [step] = await store.stepsAt(run, [before.step]);
    const isRewound = before.step >= 0 && step?._id !== before.marker;
    const from = isRewound ? { ...mine, step: -1, marker: null, bytes: 0, rewinds: mine.rewinds + 1 } : mine;
    let after: TrackingDocument;
    try {
      const had = await this.#send(tracker, run, from);
      const seen = had.step === run.committedStep ? seenOf(run) : '';
      after = { ...from, ...had, seen, nextAt: new Date(now()), error: null };
      this.#away.delete(tracker.name);
    } catch (error) {
      after = {
        ...from,
        seen: '',
        error: redact((error as Error).message),
        nextAt: this.#later(tracker, error as Error),
      };
    }
    return (await store.moveTracking(after, mine.attempts)) ? after : null;
  }

  /** When the run is tried again. */
  #later({ name }: Tracker, error: Error): Date {
    const now = this.#deps.now();
    if (error instanceof Refused) return new Date(now + LONGEST_PAUSE_MS);
    const failures = (this.#away.get(name)?.failures ?? 0) + 1;
    const untilMs = now + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
    this.#away.set(name, { failures, untilMs });
    return new Date(untilMs);
  }

  /** The settings leave without what addresses hold of a key. */
  #send({ send }: Tracker, document: RunDocument, { step, marker, bytes, rewinds }: TrackingDocument): Promise<Had> {
    const { store } = this.#deps;
    const run = { ...document, config: withoutCredentials(document.config) };
    return send({
      ...{ run, name: rewinds === 0 ? run.run : `${run.run}_${rewinds + 1}`, had: { step, marker, bytes } },
      points: async function* (from: number): AsyncGenerator<Point> {
        for await (const one of store.eachStep(run, from)) yield pointOf(run, one);
      },
      files: () => contentsOf(this.#deps, run),
      signal: AbortSignal.timeout(ATTEMPT_MS),
    });
  }
}

type Started = ResultDeps & {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
};

export const startTracking = ({ home, env, log, ...deps }: Started): { readonly stop: () => Promise<void> } => {
  const keys = createKeyRing({ home, env });
  const stopped = new AbortController();
  const tracking = new Tracking({
    ...deps,
    trackers: () => trackersOf(readTrackers(home, env), env),
    redact: (text) => keys.error(text),
    now: Date.now,
  });
  const running = again({
    ...{ signal: stopped.signal, everyMs: EVERY_MS, look: () => tracking.look() },
    log: (words) => log(`trackers: ${keys.error(words)}`),
  });
  return {
    async stop() {
      stopped.abort();
      // An attempt that is under way is made again by the next process.
      await Promise.race([running, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
    },
  };
};
