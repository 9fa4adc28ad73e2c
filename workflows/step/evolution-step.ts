// This is the workflow of one evolution step, a child of the run with id `run/<id>/step/<n>`: it samples parents, asks
// the model for B x n responses, applies their edits, evaluates the programs, inserts them and migrates. Responses flow
// on as they arrive, and only the commit waits for all of them. Where steps overlap, or islands are not coupled, it goes
// on as a window of steps.
import { setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import type { StepPlan, StepRef, StepSummary } from '../../activities/interface/step.ts';
import { Allowance, type AllowanceBudget } from '../../evolution/budget/allowance.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import { Park, WITHOUT_PARKING } from '../engine/park.ts';
import { store } from '../engine/proxies.ts';
import { Reports } from '../engine/reports.ts';
import { STEP_MESSAGES } from '../messages/descriptions.ts';
import { listenTo } from '../messages/listening.ts';
import { closeWindow, inStep, type InStep, retry, stepReport } from '../messages/messages.ts';
import { Notes, noteUnknownSignals } from '../messages/notes.ts';
import { handOver, streamNews, windowReady } from '../messages/handover.ts';
import type { StepInput } from '../messages/step-input.ts';
import { requireStepInput } from '../messages/validate-inputs.ts';
import { askAside } from '../programs/asking.ts';
import { commit } from './commit.ts';
import { settled, Window } from '../programs/flow.ts';
import { runUnit } from '../programs/groups.ts';
import { runWindow } from './island-window.ts';
import { runOverlapping } from './overlapping-steps.ts';
import { Ledger } from '../programs/ledger.ts';
import { takeOver } from '../stream/handover.ts';
import { answersReceived, Batched, listenToAnswers } from '../programs/batched.ts';
import { stepDetails } from './step-details.ts';
import { runStream } from '../stream/stream.ts';
import { type Conductor, Requests } from '../programs/unit.ts';

const SLOW_RETRY_MS = 30_000;
const NO_LIMITS: AllowanceBudget = { tokens: null, costUsd: null, perResponse: null };

export async function evolutionStep(input: StepInput): Promise<StepSummary> {
  requireStepInput(input, workflowInfo().workflowId);
  return new Step(input).work();
}

class Step {
  readonly #input: StepInput;
  readonly #ledger = new Ledger();
  readonly #notes = new Notes();
  readonly #reports: Reports;
  readonly #park: Park;
  #plan: StepPlan | null = null;
  #over = false;
  #describing = false;

  constructor(input: StepInput) {
    this.#input = input;
    this.#reports = new Reports(input, stepReport);
    this.#park = new Park({
      slowRetryMs: SLOW_RETRY_MS,
      onChange: () => {
        this.#describe();
        return this.#reports.report(this.#park);
      },
    });
    this.#ledger.onChange = () => this.#describeSoon();
  }

  async work(): Promise<StepSummary> {
    setHandler(inStep, (): InStep => ({ ...this.#ledger.counts }), { description: STEP_MESSAGES.inStep });
    // Whatever its body is, it can only mean one thing.
    listenTo(retry, {
      description: STEP_MESSAGES.retry,
      check: () => undefined,
      answer: () => undefined,
      handle: () => this.#park.release(),
    });
    this.#describe();
    const summary = await this.#committed();
    this.#over = true;
    this.#describe();
    return summary;
  }

  async #committed(): Promise<StepSummary> {
    const { run, step, continues } = this.#input;
    if (step === 0) return this.#park.phase('first step', this.#firstStep(), ['SupersededError']);
    if (continues !== null) {
      const handed = await takeOver(run, step, continues);
      this.#plan = handed.plan;
      const at = { ...this.#conducted(handed.plan), allowance: new Allowance(handed.budget) };
      return runStream(at, handed.plan.stream!, handed);
    }
    const plan = await this.#park.phase('plan', () => planned(this.#input), ['SupersededError']);
    this.#plan = plan;
    const at = this.#conducted(plan);
    if (plan.done) return plan.done;
    if (plan.stream !== undefined) return runStream(at, plan.stream, null);
    if (plan.window === undefined) return wholeStep(at);
    const { islands } = plan.window;
    return islands === undefined ? runOverlapping(at, plan.window) : runWindow(at, plan.window, islands);
  }

  /**
   * Step 0 parks as a whole, because what is wrong may be the task itself: when a person has mended it and says so, it
   * is planned anew, and the plan takes the task as it is then.
   */
  #firstStep(): () => Promise<StepSummary> {
    let released = this.#park.released;
    return async () => {
      const isAskedFor = this.#park.released > released;
      released = this.#park.released;
      const plan = await planned(this.#input, isAskedFor ? `${workflowInfo().runId}:${released}` : undefined);
      if (plan.done) return plan.done;
      this.#plan = plan;
      this.#ledger.committed(0);
      return wholeStep({ ...this.#conducted(plan), park: WITHOUT_PARKING });
    };
  }

  #conducted(plan: StepPlan): Conductor {
    return {
      input: this.#input,
      plan,
      park: this.#park,
      allowance: new Allowance(this.#input.budget ?? NO_LIMITS),
      ledger: this.#ledger,
      // Bounds of a stream itself say how many requests are pending.
      requests: new Requests(plan.stream === undefined ? undefined : Infinity),
      evaluations: new Window(plan.parallel ?? Infinity),
      describe: () => this.#describe(),
      listen: () => this.#noteUnknown(),
    };
  }

  /** From here on the names of all signals are known; signals that came before wait until then. */
  #noteUnknown(): void {
    noteUnknownSignals(
      this.#notes,
      {
        what: 'a step',
        signals: ['retry'],
        updates: [],
        internal: [answersReceived, closeWindow, handOver, streamNews, windowReady].map(({ name }) => name),
        instead: `Other messages go to \`${runWorkflowId(this.#input.run)}\``,
      },
      () => this.#describe(),
    );
  }

  #describe(): void {
    const { attention, parked, count: phases } = this.#park;
    setCurrentDetails(
      stepDetails({
        ...{ run: this.#input.run, step: this.#input.step, plan: this.#plan, counts: this.#ledger.counts },
        ...(this.#input.links && { links: this.#input.links }),
        ...{ over: this.#over, attention, parked, phases, refusals: this.#notes.refusals, nowMs: Date.now() },
      }),
    );
  }

  /** Counts change many times while one message is worked on, and the page shows them as they are at its end. */
  #describeSoon(): void {
    if (this.#describing) return;
    this.#describing = true;
    void settled()
      .catch(() => undefined)
      .then(() => {
        this.#describing = false;
        this.#describe();
      });
  }
}

const planned = ({ run, step, owner, window }: StepInput, again?: string): Promise<StepPlan> =>
  store.planStep.executeWithOptions({ summary: `sample parents of step ${step}` }, [
    { run, step, owner, ...(window && { window }), ...(again === undefined ? {} : { again }) },
  ]);

const wholeStep = async (at: Conductor): Promise<StepSummary> => {
  const { run, step } = at.input;
  const { epoch, version, groups, preludes = [], evaluate, judgesIdea } = at.plan;
  const ref = { run, step, epoch, version };
  const unit = { ref, groups: Array.from({ length: groups }, (_, group) => group), preludes, evaluate };
  const batched = at.plan.batched && new Batched(at, unit, () => undefined);
  if (batched) listenToAnswers((answers) => batched.hear(answers));
  at.listen();
  await runUnit(at, unit, batched);
  if (judgesIdea === true) await judgeInitialIdea(at, ref);
  return commit(at, ref);
};

/** The initial idea is judged after the evaluation of the initial program, because the idea states that result. */
const judgeInitialIdea = async ({ park, allowance }: Conductor, ref: StepRef): Promise<void> => {
  await park.phase('initial idea', () =>
    store.initialIdea.executeWithOptions({ summary: 'ask the judge for a score of the initial idea' }, [ref]),
  );
  await askAside(allowance, { ...ref, group: 0, stage: 'judge' });
};
