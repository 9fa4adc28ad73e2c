// Notices about runs and sweeps. Nothing of programs, prompts or answers is in a notice, because it may leave the
// installation.
import type { RunDocument, SweepDocument } from '../../activities/store/documents/documents.ts';
import type { Noticeable } from '../../activities/store/upkeep/notices.ts';
import type { Notice } from '../../activities/store/documents/installation-documents.ts';
import type { TemporalUi } from '../../client/connect/connection.ts';
import { runReport, workflowUrl } from '../../client/read/report.ts';
import { hasEnded, isParked, type Parked, parkedText } from '../../evolution/run-states.ts';
import { reasonOf } from '../../evolution/steering/advice/reasons.ts';
import { inMarkdown } from '../../evolution/visible.ts';

/** A run, and one of its executions whose code fails or does not fit its history. */
export type Failing = { readonly run: string; readonly execution: string };

/** Something that happened and may be told. `id` is the same for every process that sees it. */
export type Occasion = Pick<Notice, 'id' | 'event' | 'kind' | 'name'> & {
  readonly at: Date;
  /** The code of the run fails; nothing of it need be parked. */
  readonly code?: true;
};

/** A phase that tries again by itself is told of after this time: most outages are shorter. */
const SETTLED_MS = 60_000;

const occasion = (kind: Notice['kind'], event: Notice['event'], name: string, at: Date): Occasion => ({
  ...{ id: `${kind}:${name}:${event}:${at.toISOString()}`, kind, event, name, at },
});

/** Ends of a sweep's runs are not told one by one: the sweep's own end is. */
export const occasionsIn = ({ parked, ended, sweeps }: Noticeable, nowMs: number): readonly Occasion[] => [
  ...parked.flatMap(({ run, parked: how }) => {
    if (how === null || how === undefined) return [];
    const at = new Date(how.since);
    const wait = how.next === null ? 0 : SETTLED_MS;
    // A time that is none is never past.
    return nowMs - at.getTime() >= wait ? [occasion('run', 'attention', run, at)] : [];
  }),
  ...ended.flatMap(({ run, endedAt, sweep }) =>
    endedAt === null || sweep !== null ? [] : [occasion('run', 'ended', run, endedAt)],
  ),
  ...sweeps.flatMap(({ run, endedAt }) => (endedAt === null ? [] : [occasion('sweep', 'ended', run, endedAt)])),
];

const CODE_FAILS = 'the code of its workflow fails, or does not fit its history';

/** The first process that sees it says when it was. */
export const codeOccasions = (failing: readonly Failing[], nowMs: number): readonly Occasion[] =>
  failing.map(({ run, execution }) => ({
    ...{ id: `run:${run}:code:${execution}`, kind: 'run', event: 'attention', name: run, at: new Date(nowMs) },
    code: true,
  }));

/**
 * For the line that chat services show. A reason may repeat what an endpoint says, which must call nobody and draw no
 * link: services read angle brackets even within code.
 */
const inChat = (reason: string): string => {
  const text = inMarkdown(reason.replaceAll('<', '‹').replaceAll('>', '›'));
  return text.includes('@') && !text.startsWith('`') ? `\`${text}\`` : text;
};

type Words = {
  readonly ui: TemporalUi | null;
  /** Takes keys out of an error of an endpoint. */
  readonly redact: (text: string) => string;
};

/** Null where the run has gone on in the meantime. */
export const runNotice = (
  { id, event, kind, name, at, code }: Occasion,
  document: RunDocument,
  { ui, redact }: Words,
): Notice | null => {
  const { status, statusReason, stopReason, parked, endedAt } = document;
  const report = runReport(document, at, ui);
  const best = report.scoresInvented ? null : (report.best?.ranking ?? null);
  const reason = code ? CODE_FAILS : redact((event === 'attention' ? statusReason : stopReason) ?? '');
  const isOver = event === 'attention' ? !isParked(status) || !isSame(parked, at) : endedAt?.getTime() !== at.getTime();
  if (code ? hasEnded(document) : isOver) return null;
  const text = code
    ? `Run ${name} needs attention: ${reason}. What to do: npx evolve doctor ${name}`
    : event === 'attention'
      ? `Run ${name} needs attention: ${inChat(reasonOf(reason).text)}. ${parkedText(parked!)} What to do: npx evolve doctor ${name}`
      : `Run ${name} has ended (${status}${reason === '' ? '' : `: ${inChat(reason)}`}) after ${report.steps} steps and ${report.programs} programs. ${best === null ? 'It has no valid program.' : `Best score: ${best}.`}`;
  return {
    ...{ id, event, kind, name, at: at.toISOString(), text, state: status, reason },
    ...{ task: report.task, method: report.method, steps: report.steps, programs: report.programs },
    ...{ bestScore: best, costUsd: report.costUsd, url: report.temporalUrl },
  };
};

const isSame = (parked: Parked | null | undefined, at: Date): boolean =>
  parked !== null && parked !== undefined && new Date(parked.since).getTime() === at.getTime();

export const sweepNotice = (
  { id, event, kind, name, at }: Occasion,
  { status, stopReason, runs, endedAt }: SweepDocument,
  { ui, redact }: Words,
): Notice | null => {
  if (endedAt?.getTime() !== at.getTime()) return null;
  const reason = redact(stopReason ?? '');
  const text = `Sweep ${name} has ended (${status}${reason === '' ? '' : `: ${inChat(reason)}`}) with ${runs.length} runs. What came of it: npx evolve sweep report ${name}`;
  return {
    ...{ id, event, kind, name, at: at.toISOString(), text, state: status, reason, runs: runs.length },
    url: workflowUrl(ui, `sweep/${name}`),
  };
};
