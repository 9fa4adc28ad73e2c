// A window of a stream reports its commits to the run. One report goes after the other, and none holds the window up.
import { getExternalWorkflowHandle, sleep } from '@temporalio/workflow';
import type { StepSummary, StreamPlan } from '../../activities/interface/step.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import { internal } from '../engine/form.ts';
import { windowReport } from '../messages/messages.ts';
import type { StepInput } from '../messages/step-input.ts';

/** The run hears of commits at most so often, and at once of each new best program. */
const REPORT_MS = 500;
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
    // The server's clock may have been set back meanwhile.
    const restMs = Math.min(REPORT_MS, this.#atMs + REPORT_MS - Date.now());
    if (summary !== null && next === null && best === this.#best && restMs > 0) {
      this.#unreported = summary;
      if (!this.#waits) void this.#reportIn(restMs);
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

  async #reportIn(restMs: number): Promise<void> {
    this.#waits = true;
    try {
      await sleep(restMs);
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
