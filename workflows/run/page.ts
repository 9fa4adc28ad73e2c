// The page of an execution of a run in the Temporal UI: its current details, which are written anew at every change and
// leave nothing in the history.
import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { RunBrief } from '../../activities/interface/run.ts';
import type { OnHidden } from '../../activities/interface/step.ts';
import { details } from '../engine/telling.ts';
import type { LastError, Rest, RunInput } from '../messages/run-input.ts';
import { openingDetails, runDetails, type Shown } from './legible.ts';

/** The state of the run; the page adds its execution. */
type Facts = Omit<Shown, 'nowMs' | 'lastError' | 'underWay' | 'execution'> & { readonly brief: RunBrief | null };

export class Page {
  readonly #run: string;
  /** The settings that the start object asks for. */
  readonly #asked: unknown;
  /** The run as an earlier execution knew it. */
  readonly #known: RunBrief | null;
  readonly hidden: OnHidden | null;
  #lastError: LastError | null;
  #underWay: Shown['underWay'] = null;

  constructor({ run, config, carry, rest }: RunInput) {
    const { brief = null, hidden = null, lastError = null } = carry ?? rest ?? {};
    this.#run = run;
    this.#asked = config;
    this.#known = brief;
    this.hidden = hidden;
    this.#lastError = lastError;
  }

  /** The next execution takes this over, so that its page is whole before the run is open again. */
  carried(brief: RunBrief | null, hidden: OnHidden | null): Pick<Rest, 'brief' | 'hidden' | 'lastError'> {
    return { brief: brief ?? this.#known, hidden, lastError: this.#lastError };
  }

  /** The step that is under way from now on; null for none. */
  works(step: number | null): void {
    this.#underWay = step === null ? null : { step, sinceMs: Date.now() };
  }

  /** `left`: why the run goes on in another execution. */
  write(facts: Facts, left: string | null = null): void {
    const { attention } = facts;
    if (attention !== null && attention !== this.#lastError?.text)
      this.#lastError = { text: attention, atMs: Date.now() };
    setCurrentDetails(this.#text(facts, left));
  }

  #text(facts: Facts, left: string | null): string {
    const { runId, originalExecutionRunId, continuedFromExecutionRunId = null, runStartTime } = workflowInfo();
    const shown: Shown = {
      ...facts,
      nowMs: Date.now(),
      lastError: this.#lastError,
      underWay: this.#underWay,
      execution: {
        id: runId,
        startedAtMs: runStartTime.getTime(),
        after: continuedFromExecutionRunId,
        resetOf: originalExecutionRunId === runId ? null : originalExecutionRunId,
        left,
      },
    };
    try {
      const brief = facts.brief ?? this.#known;
      return brief === null ? openingDetails(this.#run, this.#asked, shown) : runDetails(brief, shown);
    } catch {
      // No text may hold up a run.
      return details([`**${facts.status}**`, '', `\`npx evolve status ${this.#run}\` says more.`]);
    }
  }
}
