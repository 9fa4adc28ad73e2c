// How worker processes share the rate of an endpoint. Each holds a share in the database, and the shares never add up to
// more than the whole. Nothing compares clocks of two hosts: whether another process lives is seen by whether its beat
// grows, and how long that takes is measured here.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RateDocument, RatePause, RateVerbs } from '../../store/rates.ts';

/** How often a process renews its share. */
const BEAT_MS = 2_000;
/** A share that could not be renewed for so long is not used any more. */
const VALID_MS = 10_000;
/** A beat that has not grown for so long is that of a dead process: later than that process could use its share. */
const SILENT_MS = 15_000;
/** Who asks nothing for so long gives its share back. */
const IDLE_MS = 30_000;

export type Lease = {
  /** The share that may be used now, from 0 to 1. */
  share(): number;
  /** How many milliseconds the endpoint is still to be left alone. */
  pausedMs(): number;
  /** Says that requests are waiting; the first one asks for a share. */
  want(): void;
  /** The endpoint asked this process to wait, so all processes do. */
  pause(ms: number): void;
  /** Gives the share back. */
  close(): Promise<void>;
};

type Options = {
  readonly store: RateVerbs;
  readonly endpoint: string;
  /** Milliseconds of a clock that never jumps. */
  readonly now?: () => number;
  /** Waits between two renewals. Tests renew by hand (`beat`). */
  readonly beatMs?: number | null;
};

/** With `beat`, which renews at once; timers do so otherwise. */
export const createLease = ({
  store,
  endpoint,
  now = () => performance.now(),
  beatMs = BEAT_MS,
}: Options): Lease & { beat(): Promise<void> } => {
  const id = randomUUID();
  const seen = new Map<string, { readonly beat: number; readonly atMs: number }>();
  const known = new Set<string>();
  const ours = new Map<string, RatePause & { readonly untilMs: number }>();
  let held = { share: 0, untilMs: 0 };
  let beats = 0;
  let wantedAtMs = -Infinity;
  let pausedUntilMs = 0;
  let closed = false;
  let running: Promise<void> | null = null;
  let renewing: Promise<void> | null = null;

  const isSilent = ({ id: other, beat }: { readonly id: string; readonly beat: number }): boolean => {
    const before = seen.get(other);
    if (before?.beat !== beat) seen.set(other, { beat, atMs: now() });
    return before?.beat === beat && now() - before.atMs >= SILENT_MS;
  };

  const renewOnce = async (leaves: boolean): Promise<boolean> => {
    const atMs = now();
    const before: RateDocument = (await store.readRate(endpoint)) ?? {
      _id: endpoint,
      revision: 0,
      holders: [],
      pauses: [],
    };
    for (const { id: pause, ms } of before.pauses)
      if (!known.has(pause)) {
        known.add(pause);
        pausedUntilMs = Math.max(pausedUntilMs, now() + ms);
      }
    const others = before.holders.filter((one) => one.id !== id && !isSilent(one));
    const free = 1 - others.reduce((sum, { share }) => sum + share, 0);
    const share = leaves ? 0 : Math.max(0, Math.min(free, 1 / (others.length + 1)));
    // Others take what is given back as soon as they read of it, so it is given back before it is written.
    if (share < held.share) held = { ...held, share };
    const alive = new Set(others.map((one) => one.id));
    for (const [pause, { untilMs }] of ours) if (untilMs <= now()) ours.delete(pause);
    const written = await store.writeRate({
      _id: endpoint,
      revision: before.revision + 1,
      holders: leaves ? others : [...others, { id, beat: ++beats, share }],
      pauses: [
        ...before.pauses.filter(({ by }) => alive.has(by)),
        ...[...ours.values()].map(({ untilMs: _, ...pause }) => pause),
      ],
    });
    if (written) held = { share, untilMs: atMs + VALID_MS };
    return written;
  };

  /** Where others write at the same moment, it is tried again at once. */
  const renew = async (leaves = false): Promise<void> => {
    while (renewing !== null) await renewing;
    renewing = (async () => {
      for (let attempt = 0; attempt < 10; attempt++) if (await renewOnce(leaves)) return;
    })();
    try {
      await renewing;
    } finally {
      renewing = null;
    }
  };

  const goOn = async (every: number): Promise<void> => {
    while (!closed && (now() - wantedAtMs < IDLE_MS || ours.size > 0)) {
      // A database that is away ends the share by itself, and is asked again.
      await renew().catch(() => undefined);
      // A newcomer waits for others to give way, which takes one of their beats.
      await sleep(held.share === 0 ? every / 4 : every, undefined, { ref: false });
    }
    held = { share: 0, untilMs: 0 };
    await renew(true).catch(() => undefined);
    running = null;
  };
  const begin = (): void => {
    if (beatMs !== null && !closed) running ??= goOn(beatMs);
  };

  return {
    share: () => (now() < held.untilMs ? held.share : 0),
    pausedMs: () => Math.max(0, pausedUntilMs - now()),
    want() {
      wantedAtMs = now();
      begin();
    },
    pause(ms) {
      const pause = { id: randomUUID(), by: id, ms };
      known.add(pause.id);
      pausedUntilMs = Math.max(pausedUntilMs, now() + ms);
      ours.set(pause.id, { ...pause, untilMs: now() + ms });
      begin();
      if (running !== null) void renew().catch(() => undefined);
    },
    async close() {
      if (closed) return;
      closed = true;
      held = { share: 0, untilMs: 0 };
      if (running !== null || beatMs === null) await renew(true).catch(() => undefined);
    },
    beat: () => renew(),
  };
};
