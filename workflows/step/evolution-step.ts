// This is the workflow of one evolution step, a child of the run with id `run/<id>/step/<n>`: it samples parents, asks
// the model for B x n responses, applies their edits, evaluates the programs, inserts them and migrates. Responses flow
// on as they arrive, and only the commit waits for all of them. Where there is no island coupling it goes on as a
// window of steps.
import { setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import type { StepPlan, StepRef, StepSummary } from '../../activities/interface/step.ts';
import { Allowance, type AllowanceBudget } from '../../evolution/budget/allowance.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import { Park, type Phases, WITHOUT_PARKING } from '../engine/park.ts';
import { store } from '../engine/proxies.ts';
import { Reports } from '../engine/reports.ts';
import { STEP_MESSAGES } from '../messages/descriptions.ts';
import { answersCame } from '../messages/arrivals.ts';
import { listenTo } from '../messages/listening.ts';
import { closeWindow, inStep, type InStep, retry, stepReport } from '../messages/messages.ts';
import { Notes, noteUnknownSignals } from '../messages/notes.ts';
import { type HandedOver, handOver, streamNews, windowReady } from '../messages/seam.ts';
import type { StepInput } from '../messages/step-input.ts';
import { validateStepInput } from '../messages/validate-inputs.ts';
import { askAside } from './asking.ts';
import { commit } from './commit.ts';
import { settled } from './flow.ts';
import { runUnit } from './groups.ts';
import { runWindow } from './island-window.ts';
import { Ledger } from './ledger.ts';
import { takeOver } from './seam.ts';
import { listenToArrivals, Together } from './together.ts';
import { stepDetails } from './step-details.ts';
import { runStream } from './stream.ts';
import { type Conductor, Requests } from './unit.ts';

const SLOW_RETRY_MS = 30_000;
const NO_LIMITS: AllowanceBudget = { tokens: null, costUsd: null, perResponse: null };

export async function evolutionStep(input: StepInput): Promise<StepSummary> {
  validateStepInput(input, workflowInfo().workflowId);
  const ledger = new Ledger();
  let plan: StepPlan | null = null;
  const notes = new Notes();
  const reports = new Reports(input, stepReport);
  let over = false;
  const describe = (): void =>
    setCurrentDetails(
      stepDetails({
        input,
        plan,
        counts: ledger.counts,
        over,
        attention: park.attention,
        parked: park.parked,
        phases: park.count,
        refusals: notes.refusals,
        startedAtMs: workflowInfo().runStartTime.getTime(),
        nowMs: Date.now(),
      }),
    );
  let describing = false;
  /** Counts change many times while one message is worked on, and what is shown is what holds at its end. */
  ledger.onChange = () => {
    if (describing) return;
    describing = true;
    void settled()
      .catch(() => undefined)
      .then(() => {
        describing = false;
        describe();
      });
  };
  const park: Park = new Park({
    slowRetryMs: SLOW_RETRY_MS,
    onChange: () => {
      describe();
      return reports.tell(park);
    },
  });
  setHandler(inStep, (): InStep => ({ ...ledger.counts }), { description: STEP_MESSAGES.inStep });
  // Whatever its body is, it can only mean one thing.
  listenTo(retry, {
    description: STEP_MESSAGES.retry,
    check: () => undefined,
    answer: () => undefined,
    handle: () => park.release(),
  });
  // From here on the names of all signals are known; what came before waits until then.
  const listen = (): void =>
    noteUnknownSignals(
      notes,
      {
        what: 'a step',
        signals: ['retry'],
        updates: [],
        internal: [answersCame, closeWindow, handOver, streamNews, windowReady].map(({ name }) => name),
        instead: `Other messages go to \`${runWorkflowId(input.run)}\``,
      },
      describe,
    );

  /** The last word of the page. */
  const committed = (summary: StepSummary): StepSummary => {
    over = true;
    describe();
    return summary;
  };
  const conducted = (of: StepPlan, phases: Phases) => {
    const allowance = new Allowance(input.budget ?? NO_LIMITS);
    return { input, plan: of, park: phases, allowance, ledger, describe, listen };
  };

  describe();
  if (input.continues !== null) {
    const handed = await takeOver(input.run, input.step, input.continues);
    plan = handed.plan;
    return committed(await inStream({ ...conducted(plan, park), allowance: new Allowance(handed.budget) }, handed));
  }
  if (input.step === 0) {
    const firstStep = firstStepAgain(input, park, (of) => {
      plan = of;
      ledger.committed(0);
      return wholeStep({ ...conducted(of, WITHOUT_PARKING), requests: new Requests() });
    });
    return committed(await park.phase('first step', firstStep, ['SupersededError']));
  }
  plan = await park.phase('plan', () => planned(input), ['SupersededError']);
  if (plan.done) return committed(plan.done);
  const at = conducted(plan, park);
  if (plan.stream !== undefined) return committed(await inStream(at, null));
  const all = { ...at, requests: new Requests() };
  return committed(await (plan.window === undefined ? wholeStep(all) : runWindow(all, plan.window)));
}

/** Bounds of a stream itself say how many requests are pending. */
const inStream = (at: Omit<Conductor, 'requests'>, handed: HandedOver | null): Promise<StepSummary> =>
  runStream({ ...at, requests: new Requests(Infinity) }, at.plan.stream!, handed);

const planned = ({ run, step, owner, window }: StepInput, again?: string): Promise<StepPlan> =>
  store.planStep.executeWithOptions({ summary: `sample parents of step ${step}` }, [
    { run, step, owner, ...(window && { window }), ...(again === undefined ? {} : { again }) },
  ]);

/**
 * Step 0 parks as a whole, because what is wrong may be the task itself: when a person has mended it and says so, it is
 * planned anew, and the plan takes the task as it is then.
 */
const firstStepAgain = (
  input: StepInput,
  park: Park,
  made: (plan: StepPlan) => Promise<StepSummary>,
): (() => Promise<StepSummary>) => {
  let seen = park.released;
  return async () => {
    const asked = park.released > seen;
    seen = park.released;
    const plan = await planned(input, asked ? `${workflowInfo().runId}:${seen}` : undefined);
    return plan.done ?? made(plan);
  };
};

const wholeStep = async (at: Conductor): Promise<StepSummary> => {
  const { run, step } = at.input;
  const { epoch, version, groups, preludes = [], evaluate, judgesIdea } = at.plan;
  const ref = { run, step, epoch, version };
  const unit = { ref, groups: Array.from({ length: groups }, (_, group) => group), preludes, evaluate };
  const together = at.plan.together && new Together(at, unit, () => undefined);
  if (together) listenToArrivals((arrivals) => together.hear(arrivals));
  at.listen();
  await runUnit(at, unit, together);
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
