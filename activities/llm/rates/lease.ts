// Worker processes share the rate of an endpoint. Each holds a share in the database, and the shares never add up
// to more than the whole. Nothing compares clocks of two hosts: whether another process lives is seen by whether its
// beat grows, and how long that takes is measured here.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RateDocument, RatePause } from '../../store/documents/installation-documents.ts';
import type { RateVerbs } from '../../store/upkeep/rates.ts';
import { tell } from '../../telemetry/lines.ts';

/** The pause between two renewals of a share. */
const BEAT_MS = 2_000;
/** A share that could not be renewed for so long is not used any more. */
const VALID_MS = 10_000;
/** A beat that has not grown for so long is that of a dead process: later than that process could use its share. */
const SILENT_MS = 15_000;
/** A process that asks nothing for so long gives its share back. */
const IDLE_MS = 30_000;

type Options = {
  readonly store: RateVerbs;
  readonly endpoint: string;
  /** Milliseconds of a clock that never jumps. */
  readonly now?: () => number;
  /** Waits between two renewals. Tests renew by hand (`renew`). */
  readonly beatMs?: number | null;
};

/** The share of this process in the rate of an endpoint. */
export class Lease {
  readonly #id = randomUUID();
  readonly #store: RateVerbs;
  readonly #endpoint: string;
  readonly #now: () => number;
  readonly #beatMs: number | null;
  /** The last beat of each other process, and when it was seen first. */
  readonly #beatsSeen = new Map<string, { readonly beat: number; readonly atMs: number }>();
  readonly #pausesSeen = new Set<string>();
  readonly #ownPauses = new Map<string, RatePause & { readonly untilMs: number }>();
  #held = { share: 0, untilMs: 0 };
  #beats = 0;
  #wantedAtMs = -Infinity;
  #pausedUntilMs = 0;
  #closed = false;
  #running: Promise<void> | null = null;
  #renewing: Promise<void> | null = null;

  constructor({ store, endpoint, now = () => performance.now(), beatMs = BEAT_MS }: Options) {
    this.#store = store;
    this.#endpoint = endpoint;
    this.#now = now;
    this.#beatMs = beatMs;
  }

  /** The share that may be used now, from 0 to 1. */
  share(): number {
    return this.#now() < this.#held.untilMs ? this.#held.share : 0;
  }

  /** The milliseconds for which the endpoint is still to be left alone. */
  pausedMs(): number {
    return Math.max(0, this.#pausedUntilMs - this.#now());
  }

  /** Says that requests are waiting; the first one asks for a share. */
  want(): void {
    this.#wantedAtMs = this.#now();
    this.#begin();
  }

  /** The endpoint asked this process to wait, so all processes do. */
  pause(ms: number): void {
    const pause = { id: randomUUID(), by: this.#id, ms };
    this.#observe(pause);
    this.#ownPauses.set(pause.id, { ...pause, untilMs: this.#now() + ms });
    this.#begin();
    if (this.#running !== null) void this.#tryToRenew();
  }

  /** Gives the share back. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#held = { share: 0, untilMs: 0 };
    if (this.#running !== null || this.#beatMs === null) await this.#tryToRenew(true);
  }

  /** Tries again at once where others write at the same moment. */
  async renew(leaves = false): Promise<void> {
    while (this.#renewing !== null) await this.#renewing;
    this.#renewing = (async () => {
      for (let attempt = 0; attempt < 10; attempt++) if (await this.#renewOnce(leaves)) return;
    })();
    try {
      await this.#renewing;
    } finally {
      this.#renewing = null;
    }
  }

  #begin(): void {
    if (this.#beatMs !== null && !this.#closed) this.#running ??= this.#goOn(this.#beatMs);
  }

  async #goOn(every: number): Promise<void> {
    while (!this.#closed && (this.#now() - this.#wantedAtMs < IDLE_MS || this.#ownPauses.size > 0)) {
      await this.#tryToRenew();
      // A newcomer waits for others to give way, which takes one of their beats.
      await sleep(this.#held.share === 0 ? every / 4 : every, undefined, { ref: false });
    }
    this.#held = { share: 0, untilMs: 0 };
    await this.#tryToRenew(true);
    this.#running = null;
  }

  /** A database that is away ends the share by itself, and is asked again. */
  async #tryToRenew(leaves = false): Promise<void> {
    try {
      await this.renew(leaves);
    } catch (error) {
      tell('warn', 'a share of a rate was not renewed', { endpoint: this.#endpoint, error: String(error) });
    }
  }

  async #renewOnce(leaves: boolean): Promise<boolean> {
    const atMs = this.#now();
    const empty: RateDocument = { _id: this.#endpoint, revision: 0, holders: [], pauses: [] };
    const before = (await this.#store.readRate(this.#endpoint)) ?? empty;
    for (const pause of before.pauses) if (!this.#pausesSeen.has(pause.id)) this.#observe(pause);
    const others = before.holders.filter((one) => one.id !== this.#id && !this.#isSilent(one));
    const free = 1 - others.reduce((sum, { share }) => sum + share, 0);
    const share = leaves ? 0 : Math.max(0, Math.min(free, 1 / (others.length + 1)));
    // Others take what is given back as soon as they read of it, so it is given back before it is written.
    if (share < this.#held.share) this.#held = { ...this.#held, share };
    const alive = new Set(others.map((one) => one.id));
    for (const [pause, { untilMs }] of this.#ownPauses) if (untilMs <= this.#now()) this.#ownPauses.delete(pause);
    const written = await this.#store.writeRate({
      _id: this.#endpoint,
      revision: before.revision + 1,
      holders: leaves ? others : [...others, { id: this.#id, beat: ++this.#beats, share }],
      pauses: [
        ...before.pauses.filter(({ by }) => alive.has(by)),
        ...[...this.#ownPauses.values()].map(({ untilMs: _, ...pause }) => pause),
      ],
    });
    if (written) this.#held = { share, untilMs: atMs + VALID_MS };
    return written;
  }

  #observe({ id, ms }: Pick<RatePause, 'id' | 'ms'>): void {
    this.#pausesSeen.add(id);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#now() + ms);
  }

  #isSilent({ id, beat }: { readonly id: string; readonly beat: number }): boolean {
    const before = this.#beatsSeen.get(id);
    if (before?.beat !== beat) this.#beatsSeen.set(id, { beat, atMs: this.#now() });
    return before?.beat === beat && this.#now() - before.atMs >= SILENT_MS;
  }
}
