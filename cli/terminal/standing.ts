// The state of a run in words, with its parked phase and the messages that changed nothing. All functions are pure.
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import { attentionOf } from '../../client/read/state-findings.ts';
import { endOf } from '../../evolution/budget/limits.ts';
import { hideCredentials } from '../../evolution/config/layers.ts';
import { hasEnded, parkedText, type Refusal } from '../../evolution/run-states.ts';
import type { Advice } from '../../evolution/steering/advice/advice.ts';
import { reasonOf } from '../../evolution/steering/advice/reasons.ts';
import type { InStep, RunProgress } from '../../workflows/messages/messages.ts';
import { clock } from '../../evolution/reports/number-text.ts';
import { LOCAL } from './output.ts';

export type WatchState = {
  readonly run: RunDocument;
  readonly now: Date;
  /** The workflow's own word; null where it has not answered lately. */
  readonly live: RunProgress | null;
  readonly inStep: InStep | null;
  /** The part that cannot be reached at the moment, e.g. `the database`; null when all is well. */
  readonly waitingFor: string | null;
  readonly perMinute: number | null;
  readonly temporalUrl: string | null;
  /** US dollars; left out where they are not known. */
  readonly costPerHour?: number;
  /** Left out where it is not known. */
  readonly advice?: readonly Advice[];
  /** Null, or left out, where no page is served. */
  readonly pageUrl?: string | null;
};

/**
 * The workflow's word may be older or newer than the run document. So only the counters of the step after the committed
 * ones stand beside their totals.
 */
export const openStepOf = (
  { live, inStep }: Pick<WatchState, 'live' | 'inStep'>,
  { committedStep }: RunDocument,
): InStep | null => (live !== null && live.step === committedStep + 1 ? inStep : null);

export const statusWord = ({ run, live }: WatchState): string =>
  hasEnded(run) ? run.status : (live?.status ?? run.status);

export const statusText = (state: WatchState): string => {
  const word = statusWord(state);
  const { stopReason, statusReason } = state.run;
  const told =
    hasEnded(state.run) && stopReason
      ? endOf(word, stopReason)
      : `${word}${statusReason && (word === 'paused' || word === 'pausing') ? ` (${statusReason})` : ''}`;
  return `${told}${state.waitingFor === null ? '' : ` · waiting for ${state.waitingFor}`}`;
};

/** Why the run is parked, in words. */
export const attentionText = (state: WatchState): string | null => {
  const attention = attentionOf(state);
  return attention === null ? null : reasonOf(attention).text;
};

/** The time since which it is parked, the number of attempts, and the next one. */
export const parkedNote = ({ run, live, now }: WatchState): string | null => {
  const parked = (live ? live.parked : run.parked) ?? null;
  return parked && parkedText(parked, { nowMs: now.getTime(), timeText: LOCAL });
};

/** The last messages that changed nothing. */
export const refusalsOf = ({ run, live }: WatchState): readonly Refusal[] => live?.refusals ?? run.refusals ?? [];

/** The update of the policy that is under way, its age and its present work. */
export const updateText = ({ run, live, now }: WatchState): string | null => {
  const update = hasEnded(run) ? null : (live?.update ?? null);
  if (update === null) return null;
  const seconds = Math.max(0, (now.getTime() - Date.parse(update.since)) / 1000);
  return `update after step ${update.step}, under way for ${clock(seconds)}${update.at === undefined ? '' : `: ${update.at}`}`;
};

/** A model that learns, or is a policy, is asked at the server of policies, whatever endpoint others are asked at. */
export const endpointText = ({ baseUrl, trainable, policy }: RunDocument['config']['model']): string => {
  if (trainable || policy !== null) return `the server of policies, ${trainable ? 'learns' : `is ${policy}`}`;
  return baseUrl === null ? 'the default endpoint' : hideCredentials(baseUrl);
};
