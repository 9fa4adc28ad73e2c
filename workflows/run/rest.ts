// A run rests once it has ended. The execution that did its work continues as new into a last one, which sets
// attributes and details and completes. So the lists of the engine have one row of a run: the one that is open or
// completed. Executions that a reset or a rewind gave up never stand among them.
import {
  ApplicationFailure,
  CancellationScope,
  defineUpdate,
  makeContinueAsNewFunc,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { RunBrief } from '../../activities/interface/run.ts';
import { ATTRIBUTES } from '../engine/attributes.ts';
import { Park } from '../engine/park.ts';
import { results, urgent } from '../engine/proxies.ts';
import { RUN_MESSAGES } from '../messages/descriptions.ts';
import { type RunProgress, status } from '../messages/messages.ts';
import { verbsBy } from '../messages/people.ts';
import { type Internal, internal } from '../engine/form.ts';
import { AT_REST, type Rest, type RunInput } from '../messages/run-input.ts';
import { showRun } from './page.ts';
import { attributesOf } from './run-attributes.ts';
import type { RunState } from './run-state.ts';

export type RunResult = {
  readonly run: string;
  readonly status: Rest['status'];
  readonly stopReason: string;
  readonly steps: number;
};

/** Has the files of a run that has ended written. What fails there holds up no end. */
export const leaveFiles = (run: string): Promise<unknown> =>
  results.writeResults.executeWithOptions({ summary: `files of run ${run}` }, [{ run }]).catch(() => undefined);

/** Does not return: the execution ends here. */
export const goToRest = (state: RunState, { run, status: word, stopReason: reason }: RunResult): Promise<never> => {
  state.describe({ status: word, reason, left: 'the run has ended, and rests' });
  return makeContinueAsNewFunc<(input: RunInput) => Promise<RunResult>>({ memo: { [AT_REST]: true } })({
    run,
    rest: internal({ status: word, reason, brief: state.latest }),
  });
};

const AGAIN_MS = 5_000;
/** Each by its name: with a default handler, an update whose name begins as the SDK's own do would fail every task. */
const UPDATES = verbsBy('update', 'run').map((verb) => defineUpdate(verb));

/** The whole life of the last execution. Messages that still come are refused, because the run has ended. */
export const atRest = async (run: string, rest: Internal<Rest>): Promise<RunResult> => {
  let { reason, brief } = rest;
  let word: Rest['status'] = rest.status;
  const ending = (): string => `run ${run} has ended (${word}: ${reason}); {"run": "${run}"} starts it again`;
  const steps = (): number => Math.max(0, brief?.committedStep ?? 0);
  const progress = (): RunProgress => ({
    status: word,
    step: steps(),
    workflow: steps(),
    attention: null,
    parked: null,
    paused: false,
    stopping: word === 'stopped',
    opening: false,
    refusal: ending(),
    refusals: [],
    policy: null,
    update: null,
  });
  setHandler(status, progress, { description: RUN_MESSAGES.status });
  const refuses = (): never => {
    throw ApplicationFailure.nonRetryable(ending(), 'BadRequest');
  };
  for (const update of UPDATES) setHandler(update, refuses, { validator: refuses });
  if (rest.unwritten === true) {
    // A database that is away is waited for, because nothing else knows that the run has ended.
    const park = new Park({ slowRetryMs: AGAIN_MS, onChange: () => undefined });
    const written = await CancellationScope.nonCancellable(() =>
      park.phase('end', () => urgent.endRun({ run, reason })),
    );
    if (written !== null) {
      await CancellationScope.nonCancellable(() => leaveFiles(run));
      brief = written.brief;
      reason = written.stopReason ?? reason;
      if (written.status === 'finished' || written.status === 'stopped') word = written.status;
    }
  }
  upsertSearchAttributes([
    ...attributes(run, brief),
    { key: ATTRIBUTES.status, value: word },
    { key: ATTRIBUTES.needsAttention, value: false },
  ]);
  const nothing = { attention: null, parked: null, paused: false, refusals: [], left: null };
  showRun({ run, brief, status: word, reason, ...nothing });
  return { run, status: word, stopReason: reason, steps: steps() };
};

/** The brief may be one of another version. Whatever it holds, the execution has to come to its end. */
const attributes = (run: string, brief: RunBrief | null): ReturnType<typeof attributesOf> => {
  try {
    if (brief !== null) return attributesOf(brief);
  } catch {
    /* It is not as this version expects. */
  }
  return [{ key: ATTRIBUTES.run, value: run }];
};
