// What a run's state means and what to do about it, as far as the run itself says it. All functions are pure.
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import { LIMIT_FLAGS } from '../../evolution/budget/limits.ts';
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
  /** What to do about it, or where to read more. */
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

/** Messages that changed nothing: whoever sent them waits for something that does not come. */
export const aboutMessages = ({ run, live }: Standing): readonly RunFinding[] =>
  (live?.refusals ?? []).map((one) => look('message', refusalText(one), `npx evolve status ${run.run}`));

const NAMED_RUNS = 5;
const REASON_LENGTH = 200;

/** Of all runs, for `evolve doctor` without one. A run that waits is no fault of the parts. */
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
