// The state is what a run's workflow knows about itself and shows in search attributes, current details, and the run
// document. The run's loop and its messages change it.
import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { type CancellationScope, getExternalWorkflowHandle, upsertSearchAttributes } from '@temporalio/workflow';
import type { LearningBrief } from '../../activities/interface/learning.ts';
import type { RunBrief } from '../../activities/interface/run.ts';
import type { SettingsBrief, StepSummary } from '../../activities/interface/step.ts';
import { stepWorkflowId } from '../../evolution/ids.ts';
import type { Parked, RunStatus } from '../../evolution/run-states.ts';
import { ATTRIBUTES } from '../engine/attributes.ts';
import { Opening } from '../engine/opening.ts';
import { isLong, Park } from '../engine/park.ts';
import { urgent } from '../engine/proxies.ts';
import { closeWindow, type PauseRequest, type RewindRequest, type StopRequest } from '../messages/messages.ts';
import { Notes } from '../messages/notes.ts';
import type { RunInput } from '../messages/run-input.ts';
import { Holdout } from './holdout.ts';
import { morePaid, withLearned, withSettings } from './learned.ts';
import { Learner } from './learner.ts';
import { type Shown, showRun } from './page.ts';
import { learnedOf, modelAttribute, progressOf } from './run-attributes.ts';
import type { Windows } from './windows.ts';

const SLOW_RETRY_MS = 30_000;

export class RunState {
  readonly run: string;
  readonly park = new Park({ slowRetryMs: SLOW_RETRY_MS, onChange: () => this.follow() });
  /** Null until the run is open. */
  brief: RunBrief | null = null;
  /** The last message that must see what those before it made. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Scores the best program on hidden instances. */
  readonly holdout = new Holdout(() => this.follow());
  /** Updates the policy, in runs that learn. */
  readonly learner = new Learner(
    (learning) => this.learned(learning),
    () => {
      this.describe();
      this.follow();
    },
  );
  paused: PauseRequest | null;
  stopping: StopRequest | null = null;
  rewinding: (RewindRequest & { readonly by?: string }) | null = null;
  /** The end of the run; null while it has none. */
  ended: 'finished' | 'stopped' | null = null;
  /** The model is to be asked afresh for the present step. */
  resampling = false;
  /** The run itself is at work between two steps. */
  working = false;
  /** The present step, and the scope that cancels it. */
  current: { readonly step: number; readonly scope: CancellationScope } | null = null;
  /** The step that was current when it was told to begin nothing new. */
  #closed: RunState['current'] = null;
  /** The present step is the first of a window that is open. */
  inWindow = false;
  /** The windows of a stream that began after the present one. */
  windows: Windows | null = null;
  /** The run cancelled the present step itself. */
  interrupted = false;
  /** The parked phase of the present step, as the step reports it. */
  stepAttention: string | null = null;
  stepParked: Parked | null = null;
  /** Messages that changed nothing; a signal has no other answer. */
  readonly notes = new Notes();
  /** Is over once the run is open. */
  readonly opening = new Opening();
  /** Resolves when the run document has the last word of `mark`, after which the end must come. */
  marked: Promise<void> = Promise.resolve();
  /** Marks that were asked for, the last of them that says paused, and whether the document may say so still. */
  #marks = 0;
  #lastPaused = 0;
  storedAsPaused = false;
  /** The state that was last shown and marked, as one text. */
  #written = '';
  /** An earlier execution of the workflow has opened the run, and knew it so. */
  readonly #goesOn: boolean;
  readonly #before: RunBrief | null;

  constructor(input: RunInput) {
    this.run = input.run;
    this.paused = input.carry?.paused ?? null;
    this.#before = input.carry?.brief ?? null;
    this.#goesOn = input.carry !== undefined;
  }

  /** Does the work of a message when that of the earlier ones is done, whatever came of it. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#turn.then(work, work);
    this.#turn = next;
    return next;
  }

  /** The run as it was last known: the next execution takes it over, so that its details are whole before it is open. */
  get latest(): RunBrief | null {
    return this.brief ?? this.#before;
  }

  get attention(): string | null {
    return this.park.attention ?? this.stepAttention ?? this.learner.attention;
  }

  /** The times and tries of the parked phase; null where none is, or where they are not known. */
  get parked(): Parked | null {
    if (this.park.attention !== null) return this.park.parked;
    return this.stepAttention === null ? this.learner.parked : this.stepParked;
  }

  /** True where anything of the run is at work or would go on by itself. */
  get #underWay(): boolean {
    return this.brief === null || this.current !== null || this.working || this.holdout.busy || this.learner.busy;
  }

  get status(): RunStatus {
    if (this.ended !== null) return this.ended;
    if (this.stopping) return 'stopping';
    if (this.attention !== null) return this.parked?.trying === true && !isLong() ? 'retrying' : 'needs attention';
    if (this.paused) return this.#underWay ? 'pausing' : 'paused';
    return this.brief === null && !this.#goesOn ? 'opening' : 'running';
  }

  stepBegins(current: NonNullable<RunState['current']>, windows: Windows): void {
    this.#clearStep();
    this.interrupted = false;
    this.current = current;
    this.windows = windows;
    this.describe();
  }

  stepIsOver(): void {
    this.current = this.windows = null;
    this.#clearStep();
  }

  #clearStep(): void {
    this.inWindow = false;
    this.stepAttention = this.stepParked = null;
  }

  /** Ends the present step; what it has stored is kept. */
  interrupt(): void {
    this.interrupted = true;
    this.current?.scope.cancel();
  }

  /** True while the present step only finishes what it has begun. */
  get closing(): boolean {
    return this.current !== null && this.#closed === this.current;
  }

  /** Nothing new begins in a window that is open; what has begun is finished and committed. */
  closeWindow(): void {
    if (this.current === null) return;
    this.#closed = this.current;
    if (!this.inWindow) return this.windows?.closeLater();
    this.inWindow = false;
    void getExternalWorkflowHandle(stepWorkflowId(this.run, this.newest!))
      .signal(closeWindow)
      .catch(() => undefined);
  }

  /** The step in whose name the newest window is, or the present step; null where none is under way. */
  get newest(): number | null {
    return this.windows?.newest ?? this.current?.step ?? null;
  }

  /**
   * For so long the run had nothing to do because it was paused. It is written down at once, because a run that is ended
   * from outside tells nothing any more.
   */
  rested(ms: number): void {
    if (this.brief === null || ms <= 0) return;
    this.brief = { ...this.brief, pausedMs: this.brief.pausedMs + ms };
    this.mark();
  }

  committed({ step, totals, best, paid, beatsHuman, settings, committedAtMs = Date.now() }: StepSummary): void {
    if (this.brief === null || step < this.brief.committedStep) return;
    const improved = best !== null && best.program !== this.brief.best?.program;
    const times = { committedAtMs, ...(improved ? { improvedAtMs: committedAtMs } : {}) };
    const newer = settings !== undefined && settings.configVersion > this.brief.configVersion ? settings : {};
    const sums = this.brief.learning === undefined ? paid : morePaid(this.brief.paid, paid);
    const news = { committedStep: step, totals, best, paid: sums, beatsHuman, ...times };
    this.brief = { ...withSettings(this.brief, newer), ...news };
    this.holdout.follow(this.brief);
    this.show(progressOf(this.brief));
  }

  /** The newest settings win, in whatever order changes come back. */
  settle(settings: SettingsBrief): void {
    if (this.brief && settings.configVersion >= this.brief.configVersion)
      this.brief = withSettings(this.brief, settings);
    this.show();
  }

  /** An update of the policy is settled. */
  learned(learning: LearningBrief): void {
    if (this.brief === null) return;
    this.brief = withLearned(this.brief, learning);
    upsertSearchAttributes(learnedOf(this.brief));
  }

  /** A run that is not open yet has no step to end first. */
  giveUpOpening(): void {
    if (!this.opening.over) this.opening.giveUp();
  }

  /** A run that is being opened is found by its id and its state, before there is a document. */
  begin(): void {
    this.describe();
    upsertSearchAttributes([{ key: ATTRIBUTES.run, value: this.run }, ...this.#attributes]);
  }

  show(more: readonly SearchAttributeUpdatePair[] = []): void {
    upsertSearchAttributes([...more, ...this.#attributes]);
    this.describe();
  }

  get #attributes() {
    return [
      { key: ATTRIBUTES.status, value: this.status },
      { key: ATTRIBUTES.needsAttention, value: this.attention !== null },
      ...(this.brief === null ? [] : [modelAttribute(this.brief)]),
    ];
  }

  /** The details alone, which leave nothing in the history. */
  describe(changes: { readonly status?: RunStatus; readonly reason?: string; readonly left?: string } = {}): void {
    const over = changes.status === undefined ? {} : { attention: null, parked: null };
    showRun({ ...this.shown, ...over, ...changes });
  }

  get shown(): Shown {
    const { run, status, attention, parked, notes, paused, stopping } = this;
    return {
      ...{ run, status, attention, parked, brief: this.latest, paused: paused !== null, refusals: notes.refusals },
      reason: stopping?.reason ?? paused?.reason ?? null,
      left: null,
    };
  }

  /** Shows and marks what has become of the state by itself, where it is another one than before. */
  follow(): void {
    if (this.#word !== this.#written && this.ended === null) this.mark();
  }

  get #word(): string {
    return JSON.stringify([this.status, this.attention, isLong() ? null : this.parked]);
  }

  /**
   * The run document follows what people see, one change after the other. A store that is away must not hold anything
   * up.
   */
  mark(): void {
    this.#written = this.#word;
    this.show();
    const { status, parked } = this;
    if (!this.brief) return;
    const reason = this.attention ?? this.stopping?.reason ?? this.paused?.reason ?? null;
    const word = { run: this.run, status, reason, parked, pausedMs: this.brief.pausedMs };
    const mark = (this.#marks += 1);
    if (status === 'paused') {
      this.#lastPaused = mark;
      this.storedAsPaused = true;
    }
    this.marked = this.marked
      .then(() => urgent.markRun.executeWithOptions({ summary: status }, [word]))
      .catch(() => undefined);
    void this.marked.then(() => {
      if (mark > this.#lastPaused) this.storedAsPaused = false;
    });
  }
}
