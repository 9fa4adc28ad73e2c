// In a stream (evolution/schedule/stream.ts) no request waits for others: when an answer has come, the next request leaves, and
// each B groups make a step in the order in which they were finished. A step workflow conducts a window of a stream.
// Before its history is long it asks the run for the next window, hands everything over (seam.ts), and only sees the
// requests that it made to their end. So no place among the requests in flight is empty at the seam.
import { condition, workflowInfo } from '@temporalio/workflow';
import type { StepSummary, StreamPlan } from '../../activities/interface/step.ts';
import type { StreamCommit } from '../../activities/interface/stream.ts';
import { groupsLeft } from '../../evolution/schedule/stream.ts';
import { urgent } from '../engine/proxies.ts';
import type { HandedOver, OpenGroup, ReadyGroup } from '../messages/seam.ts';
import { askFor, runUnit, type Work } from './groups.ts';
import { OpenGroups } from './open-groups.ts';
import { Pace } from './pace.ts';
import { Pipeline } from './pipeline.ts';
import { Farewell, listenToSeam, WindowBefore, WindowReports } from './seam.ts';
import { listenToArrivals, Together } from './together.ts';
import type { Conductor } from './unit.ts';

/** A window asks for the next one after the programs that its plan says, or so many events of its history. */
const EVENTS = 5_000;
/** Returns the summary of the last step that was committed here. With `handed` it goes on with the window before. */
export const runStream = (at: Conductor, plan: StreamPlan, handed: HandedOver | null): Promise<StepSummary> =>
  new Stream(at, plan, handed).run();

class Stream {
  readonly #at: Conductor;
  readonly #plan: StreamPlan;
  readonly #groups: OpenGroups;
  readonly #work: Work;
  readonly #handed: HandedOver | null;
  #step: number;
  #planned: number;
  readonly #ready: ReadyGroup[];
  /** Programs that a limit leaves to be asked for. */
  #programs: number;
  #closing = false;
  /** Injected programs that are to be committed with the first step. */
  #injected: number;
  /** Whether programs that people put in are evaluated. */
  #entered = true;
  #made = 0;
  readonly #pace: Pace;
  #summary: StepSummary | null = null;
  readonly #reports: WindowReports;
  #asksForNext = false;
  /** The next window, by the step in whose name it is, once it says that it is there. */
  readonly #next: number[] = [];
  /** Is there from when this window has left on. */
  #farewell: Farewell | null = null;
  readonly #before: WindowBefore;
  #begun = false;
  #over = false;
  #failure: { readonly error: unknown } | null = null;

  constructor(at: Conductor, plan: StreamPlan, handed: HandedOver | null) {
    const { epoch, version, responses } = at.plan;
    this.#at = at;
    this.#plan = plan;
    this.#handed = handed;
    this.#reports = new WindowReports(at.input, plan);
    this.#groups = new OpenGroups(responses, (group) => this.#changed(group));
    const ref = { run: at.input.run, step: plan.first, epoch, version };
    const unit = { ref, groups: [], preludes: [], evaluate: [], stream: this.#groups };
    this.#pace = new Pace(plan, responses);
    const together = new Together(at, unit, (programs) => this.#pace.arrived(programs));
    this.#work = { at, unit, pipeline: new Pipeline(at, unit), together };
    if (handed === null) {
      const stages = new Map((at.plan.preludes ?? []).map(({ group, stage }) => [group, stage]));
      this.#step = at.input.step;
      this.#planned = plan.planned;
      this.#ready = plan.pending.map((group) => ({ group, stage: stages.get(group) ?? null }));
      this.#injected = at.plan.injected;
      this.#programs = Math.max(0, (at.input.window?.programs ?? Infinity) - at.plan.injected);
    } else {
      this.#step = handed.step;
      this.#planned = handed.planned;
      this.#ready = [...handed.ready];
      this.#injected = 0;
      this.#programs = handed.programs ?? Infinity;
      this.#pace.arrived(handed.arrivals);
    }
    this.#before = new WindowBefore(at, plan.first, this.#groups, handed);
  }

  async run(): Promise<StepSummary> {
    this.#listen();
    this.#reports.tell(null);
    // The run no longer listens to the window before, which may have committed something since it asked for this one.
    const before = this.#handed?.summary ?? null;
    if (before !== null && before.step >= this.#at.input.step) this.#reports.tell(before);
    this.#begun = true;
    this.#enter();
    this.#ask();
    await Promise.all([this.#conduct(), ...this.#work.pipeline.drained(() => this.#over)]);
    await this.#reports.sent;
    return this.#summary ?? this.#handed!.summary!;
  }

  #listen(): void {
    listenToSeam(this.#at.input.step, {
      close: () => this.#close(),
      ready: (step) => void this.#next.push(step),
      news: (news) => {
        this.#before.hear(news);
        this.#ask();
      },
    });
    listenToArrivals((arrivals) => this.#work.together?.hear(arrivals));
    this.#at.listen();
  }

  async #conduct(): Promise<void> {
    for (;;) {
      await condition(() => (this.#require(), this.#next.length > 0 || this.#due));
      const next = this.#next.shift();
      if (next !== undefined) {
        if (await this.#leave(next)) break;
        this.#farewell = null;
        this.#ask();
      } else if (this.#ends) break;
      else await this.#turn();
    }
    this.#over = true;
  }

  #require(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  /** Nothing is under way, and nothing is left to be asked for. */
  get #idle(): boolean {
    return this.#groups.unfinished === 0 && this.#entered && this.#wanted === 0;
  }

  /** Whether a step is to be committed: a whole one, or what is left. Every stream commits one, if with nothing in it. */
  get #commits(): boolean {
    const finished = this.#groups.finished.length;
    if (!this.#entered) return false;
    const none = this.#summary === null && this.#handed === null;
    return finished >= this.#plan.batch || (this.#idle && (finished > 0 || none));
  }

  /** A window that asked for the next one waits for it, or for the word that there is to be none. */
  get #ends(): boolean {
    return this.#idle && !this.#commits && (this.#closing || !this.#asksForNext);
  }

  get #due(): boolean {
    return this.#commits || this.#ends || (this.#ready.length === 0 && this.#toPlan(0) > 0);
  }

  /** The number of groups that are still to be asked for. */
  get #wanted(): number {
    const { batch, last, closed } = this.#plan;
    if (this.#at.ledger.spent || this.#failure !== null || this.#farewell !== null) return 0;
    const left = groupsLeft({
      batch,
      responses: this.#at.plan.responses,
      uncommitted: this.#groups.count,
      programs: this.#programs,
      steps: last === null ? Infinity : last - this.#step + 1,
      closing: this.#closing && closed !== true,
    });
    return closed === true ? Math.min(left, this.#ready.length) : left;
  }

  /** Groups to plan in a turn that commits so many. */
  #toPlan(commits: number): number {
    const { inFlight: asked, count: open } = this.#groups;
    const count = this.#pace.toPlan({ ready: this.#ready.length, open: open - commits, asked });
    return this.#plan.closed === true ? 0 : Math.max(0, Math.min(count, this.#wanted - this.#ready.length));
  }

  /** Asks for groups that are ready as long as there are places. */
  #ask(): void {
    while (this.#ready.length > 0 && this.#wanted > 0) {
      const { responses } = this.#at.plan;
      const { inFlight } = this.#groups;
      if (inFlight > 0 && inFlight + responses > this.#pace.mostAsked) return;
      const { group, stage } = this.#ready.shift()!;
      const wanted = Math.min(responses, this.#programs);
      this.#programs -= wanted;
      this.#groups.ask(group);
      this.#at.ledger.count(this.#plan.first, 'total', responses);
      for (const request of askFor(this.#work, group, stage, wanted)) void request.catch((error) => this.#fail(error));
    }
  }

  /** Programs that people put in are made in the name of the step that takes them. */
  #enter(): void {
    const { plan, input } = this.#at;
    if (this.#handed !== null || plan.evaluate.length === 0) return;
    this.#entered = false;
    const ref = { ...this.#work.unit.ref, step: input.step };
    const entered = (): boolean => (this.#entered = true);
    void runUnit(this.#at, { ref, groups: [], preludes: [], evaluate: plan.evaluate }).then(entered, (error) =>
      this.#fail(error),
    );
  }

  /** Commits the next step, where one is due, and plans from the population after it. */
  async #turn(): Promise<void> {
    const { plan, park, input } = this.#at;
    const steps = this.#commits ? this.#groups.stepsOf(this.#plan) : [];
    const committed = steps.reduce((sum, groups) => sum + groups.length, 0);
    const count = this.#toPlan(committed);
    const more = this.#groups.count > committed || this.#ready.length + count > 0;
    const [commit, ...further] = steps.map((groups, index): StreamCommit => {
      const unrepaired = groups.flatMap((group) => group.unrepaired);
      return {
        groups: groups.map(({ group }) => group),
        injected: index === 0 ? this.#injected : 0,
        omitted: groups.flatMap(({ omitted }) => omitted).sort((a, b) => a - b),
        ...(unrepaired.length > 0 && { unrepaired }),
        ...((more || index < steps.length - 1) && { next: input.owner }),
      };
    });
    const turn = {
      ...{ ...this.#work.unit.ref, step: this.#step, generation: plan.generation, first: this.#plan.first },
      ...(commit && { commit }),
      ...(further.length > 0 && { further }),
      plan: { from: this.#planned, count },
    };
    const named = further.length === 0 ? `step ${this.#step}` : `steps ${this.#step} to ${this.#step + further.length}`;
    const summary = commit === undefined ? 'sample parents' : `insert, commit ${named}, sample parents`;
    const turned = await park.phase('commit', () => urgent.turnStream.executeWithOptions({ summary }, [turn]), [
      'SupersededError',
    ]);
    const stages = new Map(turned.preludes.map(({ group, stage }) => [group, stage]));
    for (let group = this.#planned; group < this.#planned + count; group += 1)
      this.#ready.push({ group, stage: stages.get(group) ?? null });
    this.#planned += count;
    if (turned.summary !== null) {
      for (const { summary, groups } of [{ summary: turned.summary, groups: turned.groups }, ...(turned.further ?? [])])
        this.#committed(summary, groups);
      const next = !this.#asksForNext && this.#wanted > 0 && this.#isLong;
      this.#asksForNext ||= next;
      this.#reports.tell(this.#summary, next ? this.#step : null);
    }
    this.#ask();
  }

  #committed(summary: StepSummary, groups: readonly number[]): void {
    const { plan, input, ledger } = this.#at;
    const gone = new Set(groups);
    for (const group of this.#groups.all)
      if (gone.has(group.group)) ledger.carry(this.#plan.first, group, plan.responses, -1);
    this.#groups.commit(groups);
    // After a reset by hand a step may hold groups that are not asked for here yet.
    this.#ready.splice(0, Infinity, ...this.#ready.filter(({ group }) => !gone.has(group)));
    if (this.#injected > 0)
      for (const kind of ['toEvaluate', 'evaluated'] as const) ledger.count(input.step, kind, -plan.evaluate.length);
    this.#injected = 0;
    this.#step += 1;
    this.#made += groups.length * plan.responses;
    this.#summary = summary;
  }

  get #isLong(): boolean {
    return this.#made >= this.#plan.window || workflowInfo().historyLength >= EVENTS;
  }

  #close(): void {
    this.#closing = true;
    this.#farewell?.close();
  }

  #changed(group: OpenGroup): void {
    if (this.#farewell !== null) this.#farewell.know(group);
    else if (this.#begun) this.#ask();
  }

  async #leave(next: number): Promise<boolean> {
    const { plan, input, allowance } = this.#at;
    this.#farewell = new Farewell(input.run, next, () => allowance.settled);
    if (this.#closing) this.#farewell.close();
    return this.#farewell.say(
      {
        plan: { ...plan, injected: 0, evaluate: [], preludes: [] },
        step: this.#step,
        planned: this.#planned,
        ready: this.#ready,
        open: this.#groups.all,
        budget: allowance.left,
        programs: Number.isFinite(this.#programs) ? this.#programs : null,
        summary: this.#summary,
        arrivals: this.#pace.arrivals,
      },
      () => this.#groups.unfinished === 0 && this.#before.over,
      () => this.#require(),
    );
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
  }
}
