// The meaning of a run's state and the next command, as far as the run itself says it. All functions are pure.
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import { moneyOf } from '../../activities/store/steps/paid.ts';
import { endOf } from '../../evolution/budget/limits.ts';
import type { Paid } from '../../evolution/budget/money.ts';
import { hideCredentials } from '../../evolution/config/layers.ts';
import { modelId } from '../../evolution/models/ensemble.ts';
import { count, dollars } from '../../evolution/reports/number-text.ts';
import { hasEnded, isParked, parkedText, refusalText } from '../../evolution/run-states.ts';
import { type Advice, FAILED, type Move, moveCommand } from '../../evolution/steering/advice/advice.ts';
import { isOfModel, type Reason, reasonOf } from '../../evolution/steering/advice/reasons.ts';
import type { Outcome } from '../../evolution/types.ts';
import type { RunProgress } from '../../workflows/messages/messages.ts';
import { extendBody } from './usage.ts';

export type RunFinding = {
  /**
   * One of run, message, workflow, workers, step, stream, activity, history, generation, paid, settings, task, answers,
   * prompts, results, origin, advice; `database` and `engine` where these could not be asked.
   */
  readonly about: string;
  /** False where something has to be done. */
  readonly ok: boolean;
  readonly detail: string;
  /** The command that helps or says more. */
  readonly command?: string;
  /** What a person may do, the likeliest first; left out where that is one command that is no verb of a run. */
  readonly moves?: readonly Move[];
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

/** The stored reason of a parked phase; null where none is parked. The workflow's own word counts before the document. */
export const attentionOf = ({ run, live }: Omit<Standing, 'now'>): string | null =>
  hasEnded(run)
    ? null
    : live !== null
      ? live.attention
      : isParked(run.status)
        ? (run.statusReason ?? 'no reason was recorded')
        : null;

export const aboutRun = (standing: Standing): readonly RunFinding[] => {
  const { run, live, now } = standing;
  const { run: id, status, statusReason, stopReason, committedStep, totals } = run;
  const done = Math.max(0, committedStep);
  const steps = `${count(done)} ${done === 1 ? 'step is' : 'steps are'} committed`;
  const attention = attentionOf(standing);
  if (attention !== null) {
    const reason = reasonOf(attention);
    const parked = (live === null ? run.parked : live.parked) ?? null;
    const since = parked === null ? '' : `. ${parkedText(parked, { nowMs: now?.getTime() }).slice(0, -1)}`;
    return [
      withMoves('run', id, { ok: false, detail: `${reason.text}; ${steps} and kept${since}` }, againMoves(run, reason)),
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
  const is = (detail: string, moves: readonly Move[], ok = true): readonly RunFinding[] => [
    withMoves('run', id, { ok, detail }, moves),
  ];
  switch (status) {
    case 'finished':
      if (totals.programs > 0 && totals.valid === 0)
        return [
          look('run', `${endOf(status, reason)}; ${steps}, and ${noneValid(totals)}`, `npx evolve programs ${id}`),
        ];
      return is(`${endOf(status, reason)}; ${steps}`, [{ verb: 'extend', body: extendBody(run, null, new Date()) }]);
    case 'stopped':
      return is(`stopped (${reason}); ${steps}`, RESUME);
    case 'terminated':
      return is(`terminated (${reason}), and nobody has resumed it; ${steps} and kept`, RESUME, false);
    case 'queued':
      return [fine('run', `waits for its turn in sweep ${run.sweep}`, `npx evolve sweep status ${run.sweep}`)];
    case 'pausing':
      return is(`pausing${because}: what is under way is finished first; ${steps}`, RESUME);
    case 'paused':
      return is(`paused${because}; ${steps}`, RESUME);
    default:
      return [fine('run', `${live?.status ?? status}; ${steps}`)];
  }
};

/** `none of its 10 programs is valid: 10 without an edit that could be taken`. */
const noneValid = ({ programs, failures }: RunDocument['totals']): string => {
  const kinds = Object.entries(failures).flatMap(([outcome, many]) =>
    many > 0 ? [`${count(many)} ${FAILED[outcome as Outcome] ?? outcome}`] : [],
  );
  return `none of its ${count(programs)} programs is valid: ${kinds.join(', ')}`;
};

const RESUME: readonly Move[] = [{ verb: 'resume', body: {} }];

const withMoves = (
  about: string,
  run: string,
  said: Pick<RunFinding, 'ok' | 'detail'>,
  moves: readonly Move[],
): RunFinding => ({
  about,
  ...said,
  ...(moves[0] === undefined ? {} : { command: moveCommand(run, moves[0]), moves }),
});

/** What a person may do with a run that is parked. */
const againMoves = ({ config }: RunDocument, reason: Reason): readonly Move[] => [
  { verb: 'retry', body: {} },
  ...(isOfModel(reason) ? otherModel(config, reason) : []),
  { verb: 'stop', body: {} },
];

/** A further model that fails is taken out, by the address in the reason; the first one gets another name or address. */
const otherModel = ({ model, models }: RunDocument['config'], { text }: Reason): readonly Move[] => {
  const failing = models.find(({ baseUrl }) => baseUrl !== null && baseUrl !== model.baseUrl && text.includes(baseUrl));
  if (failing !== undefined) return [{ verb: 'remove-model', body: { name: modelId(failing) } }];
  const shownUrl = model.baseUrl !== null && hideCredentials(model.baseUrl) === model.baseUrl;
  const patch = { model: { name: model.name, ...(shownUrl ? { baseUrl: model.baseUrl } : {}) } };
  return [{ verb: 'set', body: { patch }, title: 'Change model', isToFill: true }];
};

export const aboutAdvice = (run: string, advice: readonly Advice[]): readonly RunFinding[] =>
  advice.map(({ what, moves }) => withMoves('advice', run, { ok: true, detail: what }, moves));

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
      `${unanswered.requests} requests were sent without an answer: about ${unanswered.tokens.in + unanswered.tokens.out} tokens${unanswered.costUsd === 0 ? '' : `, ${dollars(unanswered.costUsd)}`} (estimated); limits on tokens and cost count them`,
  ];
  return details.flatMap((detail) => (detail === false ? [] : [fine('paid', detail, command)]));
};

const any = ({ programs, tokens }: Paid): boolean => programs + tokens > 0;

const amountText = ({ programs, tokens, costUsd }: Paid): string =>
  `${programs} programs (${tokens} tokens, ${dollars(costUsd)})`;

/** The part that the runs are: one that waits is no fault of the machine's parts. */
export const RUNS = 'runs';
const NAMED_RUNS = 5;

/** The finding on all runs, for `evolve doctor` without one. */
export const runsFinding = (
  runs: readonly Pick<RunDocument, 'run' | 'status' | 'statusReason'>[],
): { readonly part: typeof RUNS; readonly ok: boolean; readonly detail: string; readonly fix?: string } => {
  const open = runs.filter((run) => !hasEnded(run));
  const parked = open.filter(({ status }) => isParked(status));
  const [first] = parked;
  if (first === undefined) return { part: RUNS, ok: true, detail: `${open.length} open, none is parked` };
  const why = first.statusReason ? ` (${reasonOf(first.statusReason).text.split(/[:;.]\s/)[0]})` : '';
  const others = parked.slice(1, NAMED_RUNS).map(({ run }) => `, ${run}`);
  const more = parked.length > NAMED_RUNS ? ` and ${parked.length - NAMED_RUNS} more` : '';
  return {
    part: RUNS,
    ok: false,
    detail: `${open.length} open, ${parked.length} of them parked: ${first.run}${why}${others.join('')}${more}`,
    fix: `npx evolve doctor ${first.run}`,
  };
};
