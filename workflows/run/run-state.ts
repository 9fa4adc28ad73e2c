// The state is what a run's workflow knows about itself and shows in search attributes, current details, and the run
// document. The run's loop and its messages change it.
import {
  type CancellationScope,
  getExternalWorkflowHandle,
  patched,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Written } from '../../activities/interface/results.ts';
import type { RunBrief, SettingsBrief } from '../../activities/interface/run.ts';
import type { OnHidden, StepSummary } from '../../activities/interface/step.ts';
import type { RunStatus } from '../../evolution/run-states.ts';
import { stepWorkflowId } from '../../evolution/ids.ts';
import { ATTRIBUTES } from '../engine/attributes.ts';
import { Opening } from '../engine/opening.ts';
import { Park } from '../engine/park.ts';
import { store } from '../engine/proxies.ts';
import {
  closeWindow,
  type PauseRequest,
  type RewindRequest,
  type RunProgress,
  type StopRequest,
} from '../messages/messages.ts';
import type { RunInput } from '../messages/run-input.ts';
import { Holdout } from './holdout.ts';
import { Page } from './page.ts';
import { modelAttribute, progressOf } from './run-attributes.ts';

const SLOW_RETRY_MS = 30_000;

export class RunState {
  readonly run: string;
  readonly page: Page;
  readonly park = new Park({ slowRetryMs: SLOW_RETRY_MS, onChange: () => this.mark() });
  /** Null until the run is open. */
  brief: RunBrief | null = null;
  /** What is known of the best program on hidden instances. */
  readonly holdout = new Holdout((scored) => {
    this.onHidden = scored;
    this.show();
  });
  onHidden: OnHidden | null = null;
  /** Where the files of the run are, once it has ended. */
  files: Written | null = null;
  paused: PauseRequest | null;
  stopping: StopRequest | null = null;
  rewinding: (RewindRequest & { readonly by?: string }) | null = null;
  /** Whether the model is to be asked afresh for the present step. */
  resampling = false;
  /** The present step, and the scope that cancels it. */
  current: { readonly step: number; readonly scope: CancellationScope } | null = null;
  /** Whether the present step is the first of a window that is open. */
  inWindow = false;
  /** Whether the run cancelled the present step itself. */
  interrupted = false;
  stepAttention: string | null = null;
  /** What the last signal was told, when it made no sense; a signal has no other answer. */
  refusal: string | null = null;
  /** Is over once the run is open. */
  readonly opening = new Opening();
  /** Resolves when the run document has the last word of `mark`, after which the end must come. */
  marked: Promise<void> = Promise.resolve();

  constructor(input: RunInput) {
    this.run = input.run;
    this.paused = input.carry?.paused ?? null;
    this.page = new Page(input);
    this.onHidden = this.page.hidden;
  }

  get attention(): string | null {
    return this.park.attention ?? this.stepAttention;
  }

  get status(): RunProgress['status'] {
    return this.stopping
      ? 'stopping'
      : this.attention !== null
        ? 'needs attention'
        : this.paused
          ? 'paused'
          : 'running';
  }

  /** Ends the present step; what it has stored is kept. */
  interrupt(): void {
    this.interrupted = true;
    this.current?.scope.cancel();
  }

  /** Nothing new begins in a window that is open; what has begun is finished and committed. */
  closeWindow(): void {
    if (!this.inWindow || this.current === null) return;
    this.inWindow = false;
    void getExternalWorkflowHandle(stepWorkflowId(this.run, this.current.step))
      .signal(closeWindow)
      .catch(() => undefined);
  }

  committed({ step, totals, best, paid, beatsHuman, committedAtMs = Date.now() }: StepSummary): void {
    if (this.brief === null || step < this.brief.committedStep) return;
    const improved = best !== null && best.program !== this.brief.best?.program;
    const times = { committedAtMs, ...(improved ? { improvedAtMs: committedAtMs } : {}) };
    this.brief = { ...this.brief, committedStep: step, totals, best, paid, beatsHuman, ...times };
    upsertSearchAttributes(progressOf(this.brief));
    this.holdout.follow(this.brief);
    this.show();
  }

  /** The newest settings win, in whatever order changes come back. */
  settle(settings: SettingsBrief): void {
    if (this.brief && settings.configVersion >= this.brief.configVersion) this.brief = { ...this.brief, ...settings };
    this.show();
  }

  /**
   * Whether a run that cannot be opened is to end, because somebody stopped it while its opening was parked. Runs of
   * earlier versions tried on.
   */
  get givesUpOpening(): boolean {
    return this.stopping !== null && this.park.attention !== null && patched('stop-while-opening');
  }

  /** A run that is not open yet has no step to end first. Runs of earlier versions waited until they were parked. */
  giveUpOpening(): void {
    if (!this.opening.over && patched('give-up-opening')) this.opening.giveUp();
  }

  show(): void {
    upsertSearchAttributes([
      { key: ATTRIBUTES.status, value: this.status },
      { key: ATTRIBUTES.needsAttention, value: this.attention !== null },
      ...(this.brief === null ? [] : [modelAttribute(this.brief)]),
    ]);
    this.describe();
  }

  /** The details alone, which leave nothing in the history. */
  describe(changes: { readonly status?: RunStatus; readonly reason?: string; readonly left?: string } = {}): void {
    const { brief, status, attention, refusal, paused, stopping, onHidden: hidden, stepAttention, files } = this;
    const { left = null, ...ended } = changes;
    this.page.write(
      {
        brief,
        status,
        attention: ended.status === undefined ? attention : null,
        parked: null,
        stepParked: stepAttention !== null,
        paused: paused !== null,
        interrupts: (stopping ?? paused)?.mode === 'now',
        reason: stopping?.reason ?? paused?.reason ?? null,
        refusals:
          refusal === null ? [] : [{ at: new Date(Date.now()).toISOString(), message: '', why: refusal, times: 1 }],
        hidden,
        files,
        ...ended,
      },
      left,
    );
  }

  /**
   * The run document follows what people see, one change after the other. A store that is away must not hold anything
   * up.
   */
  mark(): void {
    this.show();
    const status = this.status;
    if (!this.brief || status === 'stopping') return;
    const word = { run: this.run, status, reason: this.attention ?? this.paused?.reason ?? null } as const;
    this.marked = this.marked
      .then(() => store.markRun.executeWithOptions({ summary: status }, [word]))
      .catch(() => undefined);
  }
}
