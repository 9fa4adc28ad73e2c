// The seam between two windows of a stream, as workflows/messages/seam.ts describes it.
import { condition, getExternalWorkflowHandle, isCancellation, setHandler, sleep } from '@temporalio/workflow';
import type { StepSummary, StreamPlan } from '../../activities/interface/step.ts';
import { runWorkflowId, stepWorkflowId } from '../../evolution/ids.ts';
import { INTERNAL } from '../messages/descriptions.ts';
import { listenTo } from '../messages/listening.ts';
import { closeWindow, windowReport, type WindowReport } from '../messages/messages.ts';
import {
  type HandedOver,
  handOver,
  type OpenGroup,
  type StreamNews,
  streamNews,
  validateHandOver,
  validateNews,
  validateReady,
  windowReady,
} from '../messages/seam.ts';
import type { StepInput } from '../messages/step-input.ts';
import type { OpenGroups } from './open-groups.ts';
import type { Conductor } from './unit.ts';

/** Says to the window before, which has the name of step `continues`, that this one is there. */
export const takeOver = async (run: string, step: number, continues: number): Promise<HandedOver> => {
  let handed: HandedOver | null = null;
  listenTo(handOver, {
    description: INTERNAL,
    check: validateHandOver,
    answer: () => undefined,
    handle: (body) => {
      handed ??= body;
    },
  });
  await getExternalWorkflowHandle(stepWorkflowId(run, continues)).signal(windowReady, { step });
  await condition(() => handed !== null);
  return handed!;
};

/** What a window hears of its run and of other windows. */
export const listenToSeam = (
  own: number,
  {
    close,
    ready,
    news,
  }: {
    readonly close: () => void;
    /** The next window is there, by the step in whose name it is. */
    readonly ready: (step: number) => void;
    readonly news: (of: StreamNews) => void;
  },
): void => {
  const handled = { description: INTERNAL, answer: () => undefined };
  setHandler(closeWindow, close, { description: INTERNAL });
  listenTo(windowReady, {
    ...handled,
    check: (body) => validateReady(body, own),
    handle: ({ step }) => ready(step),
  });
  listenTo(streamNews, { ...handled, check: validateNews, handle: news });
};

/** The run is told of commits at most so often, and at once of each new best program. */
const REPORT_MS = 500;
const NO_LAST_STEP = 1_000_000_000;

/** What a window tells its run. One report goes after the other, and none holds the window up. */
export class WindowReports {
  readonly #of: StepInput;
  readonly #last: number;
  #sent: Promise<void> = Promise.resolve();
  #atMs = 0;
  #best: string | undefined;
  /** What the run is to be told of when its time has come. */
  #untold: StepSummary | null = null;
  #waits = false;

  constructor(of: StepInput, { last }: Pick<StreamPlan, 'last'>) {
    this.#of = of;
    this.#last = last ?? NO_LAST_STEP;
  }

  /** With `next` it asks for the next window, in the name of that step. */
  tell(summary: StepSummary | null, next: number | null = null): void {
    const best = summary?.best?.program;
    // The server's clock may have been set back meanwhile.
    const restMs = Math.min(REPORT_MS, this.#atMs + REPORT_MS - Date.now());
    if (summary !== null && next === null && best === this.#best && restMs > 0) {
      this.#untold = summary;
      if (!this.#waits) void this.#tellIn(restMs);
      return;
    }
    this.#untold = null;
    this.#best = best;
    this.#atMs = Date.now();
    const { run, step, owner } = this.#of;
    const body: WindowReport = { step, last: this.#last, summary, next };
    this.#sent = this.#sent.then(() =>
      getExternalWorkflowHandle(runWorkflowId(run), owner)
        .signal(windowReport, body)
        .catch(() => undefined),
    );
  }

  async #tellIn(restMs: number): Promise<void> {
    this.#waits = true;
    try {
      await sleep(restMs);
    } catch {
      return; // The window is cancelled, and so is what it would tell.
    }
    this.#waits = false;
    this.#atMs = 0;
    if (this.#untold !== null) this.tell(this.#untold);
  }

  /** Resolves when the last report is there. */
  get sent(): Promise<void> {
    return this.#sent;
  }
}

const PAID = ['responses', 'tokens', 'costUsd'] as const;

/** The groups for whose answers the window before still waits. */
export class WindowBefore {
  readonly #at: Conductor;
  readonly #first: number;
  readonly #groups: OpenGroups;
  #heard = { responses: 0, tokens: 0, costUsd: 0, over: true };
  /** The groups of which it may still tell something. */
  readonly #its: ReadonlySet<number>;

  /** `first` is the first step of the stream. With `handed` its groups come into `groups`. */
  constructor(at: Conductor, first: number, groups: OpenGroups, handed: HandedOver | null) {
    this.#at = at;
    this.#first = first;
    this.#groups = groups;
    this.#its = new Set(handed?.open.map(({ group }) => group));
    if (handed === null) return;
    this.#heard.over = false;
    for (const group of handed.open) this.#take(group, undefined);
    at.allowance.hold(groups.inFlight);
  }

  /** Nothing more comes of it. */
  get over(): boolean {
    return this.#heard.over;
  }

  /**
   * Anybody may send news. Sums that make what was paid less and groups that it has not change nothing, and it is not
   * over as long as one of its groups is not finished: else the real news would be left unheard, and never come again.
   */
  hear({ groups, over, ...told }: StreamNews): void {
    const { allowance } = this.#at;
    if (this.#heard.over) return;
    const inFlight = this.#groups.inFlight;
    for (const group of groups) {
      const before = this.#groups.open(group.group);
      if (before !== undefined && this.#its.has(group.group)) this.#take(group, before);
    }
    const sums = PAID.some((kind) => told[kind] < this.#heard[kind]) ? this.#heard : told;
    const responses = sums.responses - this.#heard.responses;
    allowance.release(inFlight - this.#groups.inFlight - responses);
    allowance.settle(responses, {
      tokens: sums.tokens - this.#heard.tokens,
      costUsd: sums.costUsd - this.#heard.costUsd,
    });
    const unfinished = [...this.#its].some((group) => this.#groups.open(group) !== undefined);
    this.#heard = { ...sums, over: over && !unfinished };
  }

  #take(group: OpenGroup, before: OpenGroup | undefined): void {
    const { ledger, plan } = this.#at;
    if (before !== undefined) ledger.carry(this.#first, before, plan.responses, -1);
    ledger.carry(this.#first, group, plan.responses, 1);
    this.#groups.take(group);
  }
}

type Paid = Pick<StreamNews, 'responses' | 'tokens' | 'costUsd'>;

/** What a window that was left still tells the next one. */
export class Farewell {
  readonly #next: ReturnType<typeof getExternalWorkflowHandle>;
  readonly #news = new Map<number, OpenGroup>();
  readonly #paid: () => Paid;
  readonly #before: Paid;
  #closing = false;
  #left = false;

  /** `paid` is what this window has paid up to now. */
  constructor(run: string, next: number, paid: () => Paid) {
    this.#next = getExternalWorkflowHandle(stepWorkflowId(run, next));
    this.#paid = paid;
    this.#before = paid();
  }

  know(group: OpenGroup): void {
    this.#news.set(group.group, group);
  }

  /** The run told this window to come to its end; it is the next one's to do so. */
  close(): void {
    this.#closing = true;
    if (this.#left) void this.#next.signal(closeWindow).catch(() => undefined);
  }

  /**
   * Hands over, then tells what becomes known, until nothing more can. Resolves to false where there is nobody to whom it
   * could be handed over.
   */
  async say(handed: HandedOver, over: () => boolean, failed: () => void): Promise<boolean> {
    try {
      await this.#next.signal(handOver, handed);
    } catch (error) {
      if (isCancellation(error)) throw error;
      return false;
    }
    this.#left = true;
    if (this.#closing) this.close();
    for (;;) {
      await condition(() => (failed(), this.#news.size > 0 || over()));
      const { responses, tokens, costUsd } = this.#paid();
      const news = {
        groups: [...this.#news.values()],
        responses: responses - this.#before.responses,
        tokens: tokens - this.#before.tokens,
        costUsd: costUsd - this.#before.costUsd,
        over: over(),
      };
      this.#news.clear();
      // Where the next one is gone, what is stored counts.
      await this.#next.signal(streamNews, news).catch(() => undefined);
      if (news.over) return true;
    }
  }
}
