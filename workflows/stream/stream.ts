// In a stream (evolution/schedule/stream.ts) no request waits for others: when an answer has come, the next request
// leaves, and each B groups make a step in the order in which they were finished. A step workflow conducts a window of a
// stream. Before its history is long it asks the run for the next window, hands everything over, and only sees its own
// requests to their end. So no slot is empty between two windows.
import { condition, workflowInfo } from '@temporalio/workflow';
import type { StepSummary, StreamPlan } from '../../activities/interface/step.ts';
import type { HandedOver, OpenGroup } from '../messages/handover.ts';
import { Batched, listenToAnswers } from '../programs/batched.ts';
import type { Work } from '../programs/groups.ts';
import { Pipeline } from '../programs/pipeline.ts';
import type { Conductor } from '../programs/unit.ts';
import { Handover, listenToWindows, WindowBefore } from './handover.ts';
import { OpenGroups } from './open-groups.ts';
import { Prefetch } from './prefetch.ts';
import { Turns } from './turns.ts';
import { WindowReports } from './window-reports.ts';

/** A window asks for the next one after the programs that its plan says, or so many events of its history. */
const EVENTS = 5_000;

/** Returns the summary of the last step that was committed here. With `handed` it goes on with the window before. */
export const runStream = (at: Conductor, plan: StreamPlan, handed: HandedOver | null): Promise<StepSummary> =>
  new Stream(at, plan, handed).run();

class Stream {
  readonly #at: Conductor;
  readonly #plan: StreamPlan;
  readonly #handed: HandedOver | null;
  readonly #groups: OpenGroups;
  readonly #work: Work;
  readonly #prefetch: Prefetch;
  readonly #turns: Turns;
  readonly #reports: WindowReports;
  readonly #before: WindowBefore;
  /** The next window, by the step in whose name it is, once it says that it is there. */
  readonly #next: number[] = [];
  #asksForNext = false;
  /** Is there from when this window hands over on. */
  #handover: Handover | null = null;
  #closing = false;
  #begun = false;
  #over = false;
  #failure: { readonly error: unknown } | null = null;

  constructor(at: Conductor, plan: StreamPlan, handed: HandedOver | null) {
    const { epoch, version, responses } = at.plan;
    this.#at = at;
    this.#plan = plan;
    this.#handed = handed;
    this.#reports = new WindowReports(at.input, plan);
    const groups = (this.#groups = new OpenGroups(responses, handed?.evaluationMs ?? null, (group) =>
      this.#changed(group),
    ));
    const ref = { run: at.input.run, step: plan.first, epoch, version };
    const unit = { ref, groups: [], preludes: [], evaluate: [], stream: groups };
    const batched = new Batched(at, unit, (programs) => this.#prefetch.size.arrived(programs));
    this.#work = { at, unit, pipeline: new Pipeline(at, unit), batched };
    this.#turns = new Turns(at, plan, groups, handed);
    this.#prefetch = new Prefetch({ plan, groups, handed, work: this.#work, stream: this });
    this.#before = new WindowBefore(at, plan.first, groups, handed);
  }

  async run(): Promise<StepSummary> {
    this.#listen();
    this.#reports.report(null);
    // The run no longer listens to the window before, which may have committed something since it asked for this one.
    const before = this.#handed?.summary ?? null;
    if (before !== null && before.step >= this.#at.input.step) this.#reports.report(before);
    this.#begun = true;
    this.#turns.enter(this.#work.unit, (error) => this.fail(error));
    this.#prefetch.ask();
    await Promise.all([this.#conduct(), ...this.#work.pipeline.drained(() => this.#over)]);
    await this.#reports.sent;
    return this.#turns.summary ?? this.#handed!.summary!;
  }

  /** Nothing more is asked for here: the stream has failed, or the next window does it. */
  get asksNothing(): boolean {
    return this.#failure !== null || this.#handover !== null;
  }

  get closing(): boolean {
    return this.#closing;
  }

  /** The step that is committed next. */
  get step(): number {
    return this.#turns.step;
  }

  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  #listen(): void {
    listenToWindows(this.#at.input.step, {
      close: () => this.#close(),
      ready: (step) => void this.#next.push(step),
      news: (news) => {
        this.#before.hear(news);
        this.#prefetch.ask();
      },
    });
    listenToAnswers((answers) => this.#work.batched?.hear(answers));
    this.#at.listen();
  }

  async #conduct(): Promise<void> {
    while (!this.#over) {
      await condition(() => this.#sound() && (this.#next.length > 0 || this.#due));
      const next = this.#next.shift();
      if (next !== undefined) {
        this.#over = await this.#handOver(next);
        if (!this.#over) this.#goOn();
      } else if (this.#ends) this.#over = true;
      else await this.#turn();
    }
  }

  /** Throws the first failure of a request. */
  #sound(): boolean {
    if (this.#failure !== null) throw this.#failure.error;
    return true;
  }

  /** A window that asked for the next one waits for it, or for the word that there is to be none. */
  get #ends(): boolean {
    const over = this.#turns.isIdle(this.#prefetch) && !this.#turns.isDue(this.#prefetch);
    return over && (this.#closing || !this.#asksForNext);
  }

  get #due(): boolean {
    return (
      this.#turns.isDue(this.#prefetch) ||
      this.#ends ||
      (this.#prefetch.ready === 0 && this.#prefetch.toPlan(0).count > 0)
    );
  }

  async #turn(): Promise<void> {
    if (await this.#turns.turn(this.#work.unit.ref, this.#prefetch)) {
      const next = !this.#asksForNext && this.#prefetch.wanted > 0 && this.#isLong;
      this.#asksForNext ||= next;
      this.#reports.report(this.#turns.summary, next ? this.#turns.step : null);
    }
    this.#prefetch.ask();
  }

  get #isLong(): boolean {
    return this.#turns.made >= this.#plan.window || workflowInfo().historyLength >= EVENTS;
  }

  #close(): void {
    this.#closing = true;
    this.#handover?.close();
  }

  #changed(group: OpenGroup): void {
    if (this.#handover !== null) this.#handover.changed(group);
    else if (this.#begun) this.#prefetch.ask();
  }

  /** There was nobody to whom it could be handed over. */
  #goOn(): void {
    this.#handover = null;
    this.#prefetch.ask();
  }

  async #handOver(next: number): Promise<boolean> {
    const { plan, input, allowance } = this.#at;
    this.#handover = new Handover(input.run, next, () => allowance.settled);
    if (this.#closing) this.#handover.close();
    return this.#handover.handOver(
      {
        plan: { ...plan, injected: 0, evaluate: [], preludes: [] },
        step: this.#turns.step,
        open: this.#groups.all,
        budget: allowance.left,
        summary: this.#turns.summary,
        ...this.#prefetch.handedOver,
      },
      () => this.#sound() && this.#groups.unfinished === 0 && this.#before.over,
    );
  }
}
