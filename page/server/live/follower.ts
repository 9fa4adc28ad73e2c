// Looks at a run, or at the list of runs, as long as somebody follows it: one look for all who do, at most twice a
// second, and none when nobody looks.
import type { RunDocument } from '../../../activities/store/documents.ts';
import type { LiveEvent } from '../../data/live.ts';
import { lineageOf } from '../rows/run-rows.ts';
import { LOOK_MS } from '../site/looks.ts';
import { isAway, type Site } from '../site/site.ts';

/** The list of runs is read as a whole, and nobody sees a card change faster. */
const LIST_MS = 2_000;
/** Who looks is told of a database that says nothing for so long; the driver waits longer. */
const SILENT_MS = 5_000;
const AWAY = 'The database does not answer.';

/**
 * What a run has made and paid is told at most so often, because a page that is told asks for all that it shows. New
 * programs are told at once.
 */
const PROGRESS_MS = 5_000;

type Seen = {
  readonly marks: string;
  readonly lineage: string;
  readonly rows: number;
  readonly step: number;
  /** What was told last of its progress. */
  readonly told: { readonly step: number; readonly atMs: number };
};
/** What is new since the look before, and what the next one is compared with. */
type Look<S> = (before: S | null) => Promise<{ readonly seen: S; readonly events: readonly LiveEvent[] }>;
type Listener = (event: LiveEvent) => void;

/** Everything that a page may show of a run beside what it has made. */
const marksOf = (run: RunDocument): string => {
  const { status, statusReason, stopReason, parked, configVersion, generation, endedAt } = run;
  return JSON.stringify([
    ...[status, statusReason, stopReason, parked, configVersion, generation, endedAt],
    ...[run.isolation, run.policy, run.learned, run.results?.endedAt, run.setAside.length],
  ]);
};

const lookAtRun =
  (site: Site, id: string): Look<Seen> =>
  async (before) => {
    const document = await site.looks.run(id);
    const { runs } = await site.engine.asTheyStand([document]);
    const lineage = lineageOf(document);
    const now = { marks: marksOf(runs[0]!), lineage, rows: site.rows.known(document), step: document.committedStep };
    const { run } = document;
    const events: LiveEvent[] = [];
    if (before !== null && before.lineage !== lineage) events.push({ kind: 'again', run, lineage });
    if (before !== null && before.rows !== now.rows) events.push({ kind: 'rows', run, rows: now.rows, lineage });
    const atMs = performance.now();
    const others = before === null || before.marks !== now.marks || before.lineage !== lineage;
    const progress = before !== null && before.told.step !== now.step && atMs - before.told.atMs >= PROGRESS_MS;
    if (others || progress) events.push({ kind: 'run', run });
    const told = others || progress ? { step: now.step, atMs } : before.told;
    return { seen: { ...now, told }, events };
  };

const lookAtAll =
  (site: Site): Look<string> =>
  async (before) => {
    const seen = await site.looks.all();
    return { seen, events: before === seen ? [] : [{ kind: 'runs' }] };
  };

class Follower<S> {
  readonly #look: Look<S>;
  readonly #everyMs: number;
  /** What who comes new is told: something may have happened since it asked for everything. */
  readonly #welcome: LiveEvent;
  readonly #listeners = new Set<Listener>();
  #seen: S | null = null;
  #away: string | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(look: Look<S>, everyMs: number, welcome: LiveEvent) {
    this.#welcome = welcome;
    this.#look = look;
    this.#everyMs = everyMs;
  }

  get isFollowed(): boolean {
    return this.#listeners.size > 0;
  }

  add(listener: Listener): void {
    this.#listeners.add(listener);
    if (this.#away !== null) listener({ kind: 'away', why: this.#away });
    else if (this.#seen !== null) listener(this.#welcome);
    if (this.#listeners.size === 1) void this.#run();
  }

  remove(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.isFollowed || this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #run(): Promise<void> {
    const begunMs = performance.now();
    // A database that stands still answers nothing, not even that it is away.
    const late = setTimeout(() => this.#tellAway(AWAY), SILENT_MS);
    try {
      const { seen, events } = await this.#look(this.#seen);
      this.#seen = seen;
      if (this.#away !== null) this.#tell({ kind: 'back' });
      this.#away = null;
      for (const event of events) this.#tell(event);
    } catch (error) {
      this.#tellAway(
        isAway(error) ? AWAY : `What is new cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    } finally {
      clearTimeout(late);
    }
    if (!this.isFollowed) return;
    this.#timer = setTimeout(() => void this.#run(), Math.max(0, this.#everyMs - (performance.now() - begunMs)));
  }

  #tellAway(why: string): void {
    if (this.#away !== why) this.#tell({ kind: 'away', why });
    this.#away = why;
  }

  #tell(event: LiveEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

export type Followers = {
  /** News of a run, or of the list of all where `run` is null, until what it returns is called. */
  readonly follow: (run: string | null, listener: Listener) => () => void;
};

export const followersOf = (site: Site): Followers => {
  const followers = new Map<string | null, Follower<Seen> | Follower<string>>();
  return {
    follow(run, listener) {
      const follower =
        followers.get(run) ??
        (run === null
          ? new Follower(lookAtAll(site), LIST_MS, { kind: 'runs' })
          : new Follower(lookAtRun(site, run), LOOK_MS, { kind: 'run', run }));
      followers.set(run, follower);
      follower.add(listener);
      return () => {
        follower.remove(listener);
        if (!follower.isFollowed && followers.get(run) === follower) followers.delete(run);
      };
    },
  };
};
