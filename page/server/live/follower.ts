// Looks at a run, or at the list of runs, as long as somebody follows it: every so often one look for all followers.
import type { ColumnSet } from '../../api/rows/columns.ts';
import type { LiveEvent } from '../../api/site/live.ts';
import { isAway } from '../site/site.ts';

/** Followers are told of a database that says nothing for so long; the driver waits longer. */
const SILENT_MS = 5_000;
const AWAY = 'The database does not answer. `npx evolve up` starts it where it is down.';

/**
 * Tells the news since the look before, with the rows that are wanted, and gives what the next look is compared with.
 */
export type Look<S> = (before: S | null, wants: ReadonlySet<ColumnSet>, tell: (event: LiveEvent) => void) => Promise<S>;

export type Listener = {
  readonly take: (event: LiveEvent) => void;
  readonly wants: ReadonlySet<ColumnSet>;
};

type Given<S> = {
  readonly look: Look<S>;
  readonly everyMs: number;
  /** The first news of a new follower: something may have happened since it asked for everything. */
  readonly welcome: (seen: S) => readonly LiveEvent[];
};

export class Follower<S> {
  readonly #given: Given<S>;
  readonly #listeners = new Set<Listener>();
  #seen: S | null = null;
  #away: string | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(given: Given<S>) {
    this.#given = given;
  }

  get isFollowed(): boolean {
    return this.#listeners.size > 0;
  }

  add(listener: Listener): void {
    this.#listeners.add(listener);
    const events: readonly LiveEvent[] =
      this.#away !== null
        ? [{ kind: 'away', why: this.#away }]
        : this.#seen === null
          ? []
          : this.#given.welcome(this.#seen);
    for (const event of events) listener.take(event);
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
    const wants = new Set([...this.#listeners].flatMap((listener) => [...listener.wants]));
    const tell = (event: LiveEvent): void => {
      this.#tellBack();
      this.#tell(event);
    };
    try {
      this.#seen = await this.#given.look(this.#seen, wants, tell);
      this.#tellBack();
    } catch (error) {
      this.#tellAway(
        isAway(error) ? AWAY : `What is new cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    } finally {
      clearTimeout(late);
    }
    if (!this.isFollowed) return;
    const waitMs = Math.max(0, this.#given.everyMs - (performance.now() - begunMs));
    this.#timer = setTimeout(() => void this.#run(), waitMs);
  }

  #tellAway(why: string): void {
    if (this.#away !== why) this.#tell({ kind: 'away', why });
    this.#away = why;
  }

  #tellBack(): void {
    if (this.#away !== null) this.#tell({ kind: 'back' });
    this.#away = null;
  }

  #tell(event: LiveEvent): void {
    for (const listener of this.#listeners) listener.take(event);
  }
}
