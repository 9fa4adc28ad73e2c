// The handover from one window of a stream to the next, as workflows/messages/handover.ts describes it.
import { condition, getExternalWorkflowHandle, isCancellation, setHandler } from '@temporalio/workflow';
import { stepWorkflowId } from '../../evolution/ids.ts';
import { INTERNAL } from '../messages/descriptions.ts';
import {
  type HandedOver,
  handOver,
  type OpenGroup,
  type StreamNews,
  streamNews,
  windowReady,
} from '../messages/handover.ts';
import { internal } from '../engine/form.ts';
import { listenInside } from '../messages/internal.ts';
import { closeWindow } from '../messages/messages.ts';
import type { OpenGroups } from './open-groups.ts';
import type { Conductor } from '../programs/unit.ts';

/** Says to the window before, which has the name of step `continues`, that this one is there. */
export const takeOver = async (run: string, step: number, continues: number): Promise<HandedOver> => {
  let handed: HandedOver | null = null;
  listenInside(handOver, (body) => void (handed ??= body));
  await getExternalWorkflowHandle(stepWorkflowId(run, continues)).signal(windowReady, internal({ step }));
  await condition(() => handed !== null);
  return handed!;
};

/** A window hears its run and other windows. It hands nothing over to itself: `own` is the step in whose name it is. */
export const listenToWindows = (
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
  setHandler(closeWindow, close, { description: INTERNAL });
  listenInside(windowReady, ({ step }) => (step === own ? undefined : ready(step)));
  listenInside(streamNews, news);
};

const PAID = ['responses', 'tokens', 'costUsd'] as const;

/** The groups for whose answers the window before still waits. */
export class WindowBefore {
  readonly #at: Conductor;
  readonly #first: number;
  readonly #groups: OpenGroups;
  #reported = { responses: 0, tokens: 0, costUsd: 0, over: true };
  /** The groups of which news may still come. */
  readonly #its: ReadonlySet<number>;

  /** `first` is the first step of the stream. With `handed` its groups come into `groups`. */
  constructor(at: Conductor, first: number, groups: OpenGroups, handed: HandedOver | null) {
    this.#at = at;
    this.#first = first;
    this.#groups = groups;
    this.#its = new Set(handed?.open.map(({ group }) => group));
    if (handed === null) return;
    this.#reported.over = false;
    for (const group of handed.open) this.#take(group, undefined);
    at.allowance.hold(groups.inFlight);
  }

  /** Nothing more comes of it. */
  get over(): boolean {
    return this.#reported.over;
  }

  /**
   * Anybody may send news. Sums that make what was paid less and groups that it has not change nothing, and it is not
   * over as long as one of its groups is not finished: else the real news would be left unheard, and never come again.
   */
  hear({ groups, over, ...paid }: StreamNews): void {
    const { allowance } = this.#at;
    if (this.#reported.over) return;
    const inFlight = this.#groups.inFlight;
    for (const group of groups) {
      const before = this.#groups.open(group.group);
      if (before !== undefined && this.#its.has(group.group)) this.#take(group, before);
    }
    const sums = PAID.some((kind) => paid[kind] < this.#reported[kind]) ? this.#reported : paid;
    const responses = sums.responses - this.#reported.responses;
    allowance.release(inFlight - this.#groups.inFlight - responses);
    allowance.settle(responses, {
      tokens: sums.tokens - this.#reported.tokens,
      costUsd: sums.costUsd - this.#reported.costUsd,
    });
    const unfinished = [...this.#its].some((group) => this.#groups.open(group) !== undefined);
    this.#reported = { ...sums, over: over && !unfinished };
  }

  #take(group: OpenGroup, before: OpenGroup | undefined): void {
    const { ledger, plan } = this.#at;
    if (before !== undefined) ledger.carry(this.#first, before, plan.responses, -1);
    ledger.carry(this.#first, group, plan.responses, 1);
    this.#groups.take(group);
  }
}

type Paid = Pick<StreamNews, 'responses' | 'tokens' | 'costUsd'>;

/** Hands a window over to the next one, and then reports what becomes of the requests that are left. */
export class Handover {
  readonly #next: ReturnType<typeof getExternalWorkflowHandle>;
  readonly #news = new Map<number, OpenGroup>();
  readonly #paid: () => Paid;
  readonly #before: Paid;
  #closing = false;
  #done = false;

  /** `paid` is all that this window has paid up to now. */
  constructor(run: string, next: number, paid: () => Paid) {
    this.#next = getExternalWorkflowHandle(stepWorkflowId(run, next));
    this.#paid = paid;
    this.#before = paid();
  }

  changed(group: OpenGroup): void {
    this.#news.set(group.group, group);
  }

  /** The run told this window to come to its end; it is the next one's to do so. */
  close(): void {
    this.#closing = true;
    if (this.#done) void this.#next.signal(closeWindow).catch(() => undefined);
  }

  /**
   * Hands over, then reports news until there can be no more (`over`, which throws where the window has failed).
   * Resolves to false where nobody is there to take it.
   */
  async handOver(handed: HandedOver, over: () => boolean): Promise<boolean> {
    try {
      await this.#next.signal(handOver, internal(handed));
    } catch (error) {
      if (isCancellation(error)) throw error;
      return false;
    }
    this.#done = true;
    if (this.#closing) this.close();
    for (;;) {
      await condition(() => over() || this.#news.size > 0);
      const news = this.#takeNews(over());
      // Where the next one is gone, the store has everything.
      await this.#next.signal(streamNews, internal(news)).catch(() => undefined);
      if (news.over) return true;
    }
  }

  #takeNews(over: boolean): StreamNews {
    const { responses, tokens, costUsd } = this.#paid();
    const groups = [...this.#news.values()];
    this.#news.clear();
    return {
      groups,
      responses: responses - this.#before.responses,
      tokens: tokens - this.#before.tokens,
      costUsd: costUsd - this.#before.costUsd,
      over,
    };
  }
}
