// A window of a stream reports its commits to the run. One report goes after the other, and none holds the window up.
import { getExternalWorkflowHandle, sleep } from '@temporalio/workflow';
import type { StepSummary, StreamPlan } from '../../activities/interface/step.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import { internal } from '../engine/form.ts';
import { windowReport } from '../messages/messages.ts';
import type { StepInput } from '../messages/step-input.ts';

/** The run hears of commits at most so often, and at once of each new best program. */
const REPORT_MS = 2_000;
/** Where no further commit comes, the run hears of the last one after this time: a timer costs as much as a report. */
const QUIET_MS = 5_000;
const NO_LAST_STEP = 1_000_000_000;

export class WindowReports {
  readonly #of: StepInput;
  readonly #last: number;
  #sent: Promise<void> = Promise.resolve();
  #atMs = 0;
  #best: string | undefined;
  /** The commit that the run hears of when its time has come. */
  #unreported: StepSummary | null = null;
  #waits = false;

  constructor(of: StepInput, { last }: Pick<StreamPlan, 'last'>) {
    this.#of = of;
    this.#last = last ?? NO_LAST_STEP;
  }

  /** With `next` it asks for the next window, in the name of that step. */
  report(summary: StepSummary | null, next: number | null = null): void {
    const best = summary?.best?.program;
    const isEarly = Date.now() < this.#atMs + REPORT_MS;
    if (summary !== null && next === null && best === this.#best && isEarly) {
      this.#unreported = summary;
      if (!this.#waits) void this.#reportLater();
      return;
    }
    this.#unreported = null;
    this.#best = best;
    this.#atMs = Date.now();
    const { run, step, owner } = this.#of;
    const body = internal({ step, last: this.#last, summary, next });
    this.#sent = this.#sent.then(() =>
      getExternalWorkflowHandle(runWorkflowId(run), owner)
        .signal(windowReport, body)
        .catch(() => undefined),
    );
  }

  async #reportLater(): Promise<void> {
    this.#waits = true;
    try {
      await sleep(QUIET_MS);
    } catch {
      return; // The window is cancelled, and its reports with it.
    }
    this.#waits = false;
    this.#atMs = 0;
    if (this.#unreported !== null) this.report(this.#unreported);
  }

  /** Resolves when the last report is there. */
  get sent(): Promise<void> {
    return this.#sent;
  }
}
