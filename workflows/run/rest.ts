// How a run rests once it has ended. The execution that did its work continues as new into a last one, which sets
// attributes and details and completes. So the lists of the engine have one row of a run: the one that is open or
// completed. Executions that a reset or a rewind gave up never stand among them.
import {
  ApplicationFailure,
  CancellationScope,
  makeContinueAsNewFunc,
  setCurrentDetails,
  setDefaultSignalHandler,
  setDefaultUpdateHandler,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Written } from '../../activities/interface/results.ts';
import type { RunBrief } from '../../activities/interface/run.ts';
import type { OnHidden } from '../../activities/interface/step.ts';
import type { RunStatus } from '../../evolution/run-states.ts';
import { inMarkdown } from '../../evolution/visible.ts';
import { ATTRIBUTES } from '../engine/attributes.ts';
import { Park } from '../engine/park.ts';
import { results, store } from '../engine/proxies.ts';
import { details } from '../engine/telling.ts';
import { RUN_MESSAGES } from '../messages/descriptions.ts';
import { type RunProgress, status } from '../messages/messages.ts';
import { AT_REST, type Rest, type RunInput } from '../messages/run-input.ts';
import { runDetails } from './legible.ts';
import { attributesOf } from './run-attributes.ts';
import type { RunState } from './run-state.ts';

export type RunResult = {
  readonly run: string;
  readonly status: Rest['status'];
  readonly stopReason: string;
  readonly steps: number;
};

/**
 * Has the files of a run that has ended written. Null where even that they could not be written is not known: whatever
 * fails there holds up no end.
 */
export const leaveFiles = (run: string): Promise<Written | null> =>
  results.writeResults.executeWithOptions({ summary: `files of run ${run}` }, [{ run }]).catch(() => null);

/** Does not return: the execution ends here. */
export const goToRest = ({ run, brief, onHidden, files }: RunState, result: RunResult): Promise<never> => {
  const { stopReason: reason } = result;
  return makeContinueAsNewFunc<(input: RunInput) => Promise<RunResult>>({ memo: { [AT_REST]: true } })({
    run,
    rest: { status: result.status, reason, brief, ...(onHidden === null ? {} : { hidden: onHidden }), files },
  });
};

const AGAIN_MS = 5_000;

/** The whole life of the last execution. Messages that still come are refused, because the run has ended. */
export const atRest = async (run: string, rest: Rest): Promise<RunResult> => {
  let { reason, brief = null, files = null } = rest;
  let word: Rest['status'] = rest.status;
  const said = (): string => `run ${run} has ended (${word}: ${reason}); {"run": "${run}"} starts it again`;
  const steps = (): number => Math.max(0, brief?.committedStep ?? 0);
  const progress = (): RunProgress => ({
    status: word,
    step: steps(),
    attention: null,
    paused: false,
    stopping: word === 'stopped',
    refusal: said(),
  });
  setHandler(status, progress, { description: RUN_MESSAGES.status });
  setDefaultSignalHandler(() => undefined);
  setDefaultUpdateHandler(() => {
    throw ApplicationFailure.nonRetryable(said(), 'BadRequest');
  });
  if (rest.unwritten === true) {
    // A database that is away is waited for, because nothing else knows that the run has ended.
    const park = new Park({ slowRetryMs: AGAIN_MS, onChange: () => undefined });
    const written = await CancellationScope.nonCancellable(() =>
      park.phase('end', () => store.endRun({ run, reason })),
    );
    if (written !== null) files = await CancellationScope.nonCancellable(() => leaveFiles(run));
    if (written !== null) {
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
  const told = detailsOf(run, brief, { word, reason, hidden: rest.hidden ?? null });
  setCurrentDetails(details([told, '', filesLine(run, files)]));
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

const filesLine = (run: string, files: Written | null): string => {
  if (files === null) return `Files: \`npx evolve files ${run}\` writes them.`;
  const { host, directory, failure } = files;
  return failure === null
    ? `Files: ${inMarkdown(String(directory))} on ${inMarkdown(String(host))}`
    : `Files could not be written on ${inMarkdown(String(host))}: ${inMarkdown(String(failure))}. ` +
        `\`npx evolve files ${run}\` writes them.`;
};

const detailsOf = (
  run: string,
  brief: RunBrief | null,
  { word, reason, hidden }: { readonly word: RunStatus; readonly reason: string; readonly hidden: OnHidden | null },
): string => {
  try {
    if (brief !== null)
      return runDetails(brief, { status: word, attention: null, parked: null, reason, refusals: [], hidden });
  } catch {
    /* It is not as this version expects. */
  }
  return details([`**${word}** (${inMarkdown(reason)})`, '', `\`npx evolve status ${run}\` says more.`]);
};
