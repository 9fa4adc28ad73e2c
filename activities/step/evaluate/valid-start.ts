// A run begins with a program that the evaluator takes. Where the initial program is not valid, either it or the
// evaluator is broken, and every program made from it would be paid for in vain: step 0 waits until the task is mended.
import { ApplicationFailure } from '@temporalio/activity';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { NO_VALID_START } from '../../../evolution/first-step.ts';
import { programId } from '../../../evolution/ids.ts';
import type { Evaluation } from '../../../evolution/scoring/evaluation.ts';
import { type Task, taskName } from '../../../evolution/task/task.ts';
import { visible } from '../../../evolution/visible.ts';
import { beginAgain, type BeginAgainDeps } from '../../run/begin-again.ts';
import { epochAt } from '../../store/steps/paid.ts';
import { evaluationKey } from './evaluate.ts';

/** Fails with type NoValidStart. */
export const requireValidStart = (
  config: RunConfig,
  { id }: Pick<Task, 'id'>,
  evaluation: Evaluation | undefined,
): void => {
  if (evaluation === undefined || evaluation.outcome === 'valid' || config.evaluation.invalidStart === 'accept') return;
  const folder = config.task.includes('/') ? config.task : `tasks/${taskName(config.task)}`;
  throw ApplicationFailure.nonRetryable(
    `the initial program of ${id} is not valid: ${wordsOf(evaluation)}. Mend the task in ${folder} and retry: it is read again there, as long as the run has no valid program. A run of a task that has no valid start needs evaluation.invalidStart: accept and population.admitFailures`,
    NO_VALID_START,
  );
};

const LINES = 3;
const LONGEST = 400;

/** The reasons of the evaluator and the last lines of the program's errors, in one line. */
export const wordsOf = ({ reasons, stderrTail }: Evaluation): string => {
  const said = reasons.join('; ');
  const lines = stderrTail
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !said.includes(line))
    .slice(-LINES);
  const words = [said, ...lines].filter((text) => text !== '').join(' | ');
  const line = visible(words.replaceAll(/\s+/g, ' ')).trim();
  return line === '' ? 'nothing was said of it' : line.length > LONGEST ? `${line.slice(0, LONGEST)} ...` : line;
};

/**
 * Is called before step 0 is planned once more. Where its earlier attempt failed, the step begins again with the task as
 * it is now; also where a person asks for it (`again` names the request), when nothing is known of that attempt.
 */
export const beginAgainIfFailed = async (
  deps: BeginAgainDeps,
  { run, owner, again }: { readonly run: string; readonly owner: string; readonly again?: string | undefined },
): Promise<void> => {
  const { store } = deps;
  const document = await store.readRun(run);
  if (document === null || document.committedStep >= 0) return;
  const epoch = epochAt(document.epochs, 0);
  const id = programId(run, 0, epoch, 0);
  const delta = (await store.getDeltas([id])).get(id);
  if (delta === undefined) return;
  const key = evaluationKey(delta, document);
  const evaluation = (await store.getEvaluations([key])).get(key);
  if (evaluation?.outcome === 'valid') return;
  const failed = evaluation !== undefined && document.config.evaluation.invalidStart === 'park';
  if (failed || again !== undefined) await beginAgain(deps, document, again ?? `${owner}:start:${epoch}`);
};
