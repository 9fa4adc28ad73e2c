// One candidate of a warm container: the orders that it is given through the container's parent, its use and its
// ending.
import { z } from 'zod';
import type { Awake, Confined, ConfinedSpec, Ending, ResourceUse } from '../contract/confined.ts';
import { encodeFrame } from '../contract/frames.ts';

/** Within this time a killed candidate has to be gone. Otherwise the whole container is killed. */
const OBEY_MS = 30_000;

/**
 * The use of the candidate's processes, and of the parent meanwhile; `counted` is false where only the reaped are
 * known.
 */
export const usedSchema = z.strictObject({ cpuMs: z.number(), ownMs: z.number(), counted: z.boolean() });
type Used = z.infer<typeof usedSchema>;
export const exitSchema = z.strictObject({
  ...usedSchema.shape,
  status: z.int(),
  peakBytes: z.int(),
  oomKills: z.int(),
  begun: z.boolean(),
  left: z.string().nullable(),
});
export type Exit = z.infer<typeof exitSchema>;

/** The ending of one candidate, and its use. `unobeyed`: its parent answered no kill, so the container was killed. */
type CandidateEnd = { readonly ending: Ending; readonly use: ResourceUse; readonly unobeyed?: boolean };

/** Calls `work` after `ms`, unless the process has ended by then. */
export type Later = (ms: number, work: () => void) => void;
export const later: Later = (ms, work) => void setTimeout(work, ms).unref();

/** The orders are launch, input, end of input and kill. */
type Order = 'L' | 'I' | 'E' | 'K';

/**
 * CPU of the container without the parent's part, as the parent reads it from the moment when the candidate got its
 * program or, where it cannot, as this process does. Children for which nobody waits are in it. Null where neither can.
 */
const used = (exit: Exit, container: ResourceUse): ResourceUse => {
  const others = container.cpuMs === null ? null : Math.max(0, container.cpuMs - exit.ownMs);
  const cpuMs = exit.counted ? exit.cpuMs : others;
  return { cpuMs: cpuMs === null ? null : Math.round(cpuMs), peakBytes: container.peakBytes ?? exit.peakBytes };
};

/** The same while it runs. The parent's part is known as of its last word, some hundredths of a second ago. */
const usedSoFar = (said: Used | null, { cpuMs, peakBytes }: ResourceUse): ResourceUse => {
  const seen = cpuMs === null ? null : Math.max(0, Math.round(cpuMs - (said?.ownMs ?? 0)));
  return { cpuMs: seen ?? (said?.counted ? Math.round(said.cpuMs) : null), peakBytes };
};

/** One candidate, from its launch to its end. */
export class Candidate {
  readonly spec: ConfinedSpec;
  readonly ended: Promise<CandidateEnd>;
  /** Its use as of the parent's last word. */
  reported: Used | null = null;
  readonly #confined: Confined;
  readonly #resolve: (end: CandidateEnd) => void;
  readonly #clock: Later;
  readonly #killWhole: () => void;
  #end: CandidateEnd | null = null;
  #killed = false;

  constructor(spec: ConfinedSpec, confined: Confined, clock: Later, killWhole: () => void) {
    this.spec = spec;
    this.#confined = confined;
    this.#clock = clock;
    this.#killWhole = killWhole;
    const { promise, resolve } = Promise.withResolvers<CandidateEnd>();
    this.ended = promise;
    this.#resolve = resolve;
  }

  get isOver(): boolean {
    return this.#end !== null;
  }

  /** With the runner, where the parent has another one or none. */
  launch(uid: number, withSource: boolean): void {
    const { source, args, limits } = this.spec;
    const { pids, cpuSeconds } = limits;
    const cpu = cpuSeconds === null ? null : Math.ceil(cpuSeconds);
    const order = { uid, args, pids, cpu, ...(withSource ? { source } : {}) };
    this.#order('L', Buffer.from(JSON.stringify(order)));
  }

  send(bytes: Buffer): void {
    this.#order('I', bytes);
  }

  closeInput(): void {
    this.#order('E');
  }

  kill(): void {
    if (this.isOver || this.#killed) return;
    this.#killed = true;
    this.#order('K');
    this.#clock(OBEY_MS, () => {
      if (!this.isOver) this.#killWhole();
    });
  }

  markUse(): void {
    this.#confined.markUse();
  }

  use(): ResourceUse {
    return this.#end?.use ?? usedSoFar(this.reported, this.#confined.use());
  }

  awake(): Awake {
    return this.#confined.awake?.() ?? null;
  }

  exit(exit: Exit): void {
    const lost = exit.begun ? null : 'it did not start';
    const ending = { exitCode: exit.status, oom: exit.oomKills > 0, lost };
    this.finish({ ending, use: used(exit, this.#confined.use()) });
  }

  finish(end: CandidateEnd): void {
    if (this.isOver) return;
    this.#end = end;
    this.#resolve(end);
  }

  #order(kind: Order, ...payload: readonly Buffer[]): void {
    if (!this.isOver) this.#confined.send(encodeFrame(kind, ...payload));
  }
}
