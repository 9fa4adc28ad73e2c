// The meaning of a run's state and the next command, as far as the run itself says it. All functions are pure.
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import { moneyOf } from '../../activities/store/steps/paid.ts';
import { LIMIT_FLAGS } from '../../evolution/budget/limits.ts';
import type { Paid } from '../../evolution/budget/money.ts';
import { hasEnded, isParked, parkedText, refusalText } from '../../evolution/run-states.ts';
import type { RunProgress } from '../../workflows/messages/messages.ts';
import { extendCommand } from './usage.ts';

export type RunFinding = {
  /**
   * One of run, message, workflow, workers, step, stream, activity, history, generation, paid, settings, task, results,
   * origin; `database` and `engine` where these could not be asked.
   */
  readonly about: string;
  /** False where something has to be done. */
  readonly ok: boolean;
  readonly detail: string;
  /** The command that helps or says more. */
  readonly command?: string;
};

export const fine = (about: string, detail: string, command?: string): RunFinding => ({
  about,
  ok: true,
  detail,
  ...(command === undefined ? {} : { command }),
});
export const look = (about: string, detail: string, command: string): RunFinding => ({
  about,
  ok: false,
  detail,
  command,
});

type Standing = { readonly run: RunDocument; readonly live: RunProgress | null; readonly now?: Date };

export const aboutRun = ({ run, live, now }: Standing): readonly RunFinding[] => {
  const { run: id, status, statusReason, stopReason, committedStep } = run;
  const done = Math.max(0, committedStep);
  const steps = `${done} ${done === 1 ? 'step is' : 'steps are'} committed`;
  const attention = hasEnded(run)
    ? null
    : live === null
      ? isParked(status)
        ? (statusReason ?? 'no reason was recorded')
        : null
      : live.attention;
  if (attention !== null) {
    const parked = (live === null ? run.parked : live.parked) ?? null;
    const since = parked === null ? '' : `. ${parkedText(parked, { nowMs: now?.getTime() })}`;
    return [
      look(
        'run',
        `${isParked(status) ? status : 'needs attention'}: ${attention}; ${steps} and kept${since}`,
        `npx evolve retry ${id}`,
      ),
    ];
  }
  if (run.removing)
    return [
      look(
        'run',
        `it is being removed since ${run.removing.toISOString()}, and is not whole`,
        `npx evolve prune ${id}`,
      ),
    ];
  const reason = stopReason ?? 'no reason was recorded';
  const because = statusReason === null ? '' : ` (${statusReason})`;
  switch (status) {
    case 'finished':
      return [
        fine(
          'run',
          `finished (${Object.hasOwn(LIMIT_FLAGS, reason) ? `limits.${reason} reached` : reason}); ${steps}`,
          `npx evolve ${extendCommand(run, null, new Date())}`,
        ),
      ];
    case 'stopped':
      return [fine('run', `stopped (${reason}); ${steps}`, `npx evolve resume ${id}`)];
    case 'terminated':
      return [
        look('run', `terminated (${reason}), and nobody has resumed it; ${steps} and kept`, `npx evolve resume ${id}`),
      ];
    case 'queued':
      return [fine('run', `waits for its turn in sweep ${run.sweep}`, `npx evolve sweep status ${run.sweep}`)];
    case 'pausing':
      return [
        fine('run', `pausing${because}: what is under way is finished first; ${steps}`, `npx evolve resume ${id}`),
      ];
    case 'paused':
      return [fine('run', `paused${because}; ${steps}`, `npx evolve resume ${id}`)];
    default:
      return [fine('run', `${live?.status ?? status}; ${steps}`)];
  }
};

/** Messages that changed nothing: their senders wait in vain. */
export const aboutMessages = ({ run, live }: Standing): readonly RunFinding[] =>
  (live?.refusals ?? []).map((one) => look('message', refusalText(one), `npx evolve status ${run.run}`));

/** Payments beside the committed steps, and answers that were used twice and paid once. */
export const paidFindings = (run: RunDocument): readonly RunFinding[] => {
  const { setAside, reused } = moneyOf(run);
  const { unanswered } = run;
  const command = `npx evolve usage ${run.run}`;
  const details = [
    any(setAside) &&
      `${amountText(setAside)} of steps that were rewound or asked afresh are paid for and stand in no committed step; limits on tokens and cost count them`,
    any(reused) &&
      `${amountText(reused)} were used again when their steps were done again: they were paid for once, and count once`,
    unanswered !== undefined &&
      unanswered.requests > 0 &&
      `${unanswered.requests} requests were sent without an answer: about ${unanswered.tokens.in + unanswered.tokens.out} tokens, $${unanswered.costUsd.toFixed(4)} (estimated); limits on tokens and cost count them`,
  ];
  return details.flatMap((detail) => (detail === false ? [] : [fine('paid', detail, command)]));
};

const any = ({ programs, tokens }: Paid): boolean => programs + tokens > 0;

const amountText = ({ programs, tokens, costUsd }: Paid): string =>
  `${programs} programs (${tokens} tokens, $${costUsd.toFixed(4)})`;

const NAMED_RUNS = 5;
const REASON_LENGTH = 200;

/** The finding on all runs, for `evolve doctor` without one. A run that waits is no fault of the parts. */
export const runsFinding = (
  runs: readonly Pick<RunDocument, 'run' | 'status' | 'statusReason'>[],
): { readonly part: 'runs'; readonly ok: true; readonly detail: string; readonly fix?: string } => {
  const open = runs.filter((run) => !hasEnded(run));
  const parked = open.filter(({ status }) => isParked(status));
  const [first] = parked;
  if (first === undefined) return { part: 'runs', ok: true, detail: `${open.length} open, none is parked` };
  const why = first.statusReason ? ` (${first.statusReason.slice(0, REASON_LENGTH)})` : '';
  const others = parked.slice(1, NAMED_RUNS).map(({ run }) => `, ${run}`);
  const more = parked.length > NAMED_RUNS ? ` and ${parked.length - NAMED_RUNS} more` : '';
  return {
    part: 'runs',
    ok: true,
    detail: `${open.length} open, ${parked.length} of them parked: ${first.run}${why}${others.join('')}${more}`,
    fix: `npx evolve doctor ${first.run}`,
  };
};
