// What is known of a run for the advice on it (evolution/steering/advice/advice.ts): its limits and what is spent of
// them, the time since its best, the programs of its last steps, and the rate at which it makes programs.
import { wallSecondsOf } from '../../activities/run/reached.ts';
import type { RunDocument, StepDocument } from '../../activities/store/documents/documents.ts';
import { paidSoFar } from '../../activities/store/steps/paid.ts';
import type { Store } from '../../activities/store/store.ts';
import { setLimits } from '../../evolution/budget/limits.ts';
import {
  isLongEnough,
  LEAST_STEPS,
  type PacePoint,
  type Rate,
  rateBetween,
  workedMs,
} from '../../evolution/budget/pace.ts';
import { hasEnded, isParked } from '../../evolution/run-states.ts';
import { rankingScore } from '../../evolution/scoring/ranking.ts';
import { type Advice, adviceOn, type Facts, type LimitUse } from '../../evolution/steering/advice/advice.ts';
import type { Outcome } from '../../evolution/types.ts';

export const limitsOf = (run: RunDocument, now: Date): readonly LimitUse[] => {
  const { config, committedStep, totals, best } = run;
  const paid = paidSoFar(run);
  const spent = {
    steps: Math.max(0, committedStep),
    programs: totals.programs,
    tokens: paid.tokens,
    costUsd: paid.costUsd,
    wallSeconds: wallSecondsOf(run, config.limits, hasEnded(run) ? (run.endedAt ?? now) : now),
    noImprovementPrograms: totals.sinceBest,
    stagnantEpochs: totals.stagnantEpochs ?? 0,
    targetScore: best === null ? Number.NaN : rankingScore(best, config.evaluation.scoring),
  };
  return setLimits(config.limits).map(([limit, of]) => ({ limit, of, spent: spent[limit] }));
};

type Read = Pick<Store, 'stepsAt' | 'eachProgram'>;

/** On its trackers alone for a run that has ended or is parked: then its state says what to do. */
export const adviceFor = async (store: Read, run: RunDocument, now: Date): Promise<readonly Advice[]> => [
  ...(await onSearch(store, run, now)),
  ...(run.trackers ?? []).map(({ tracker, step, error }): Advice => {
    const has = `${tracker} has ${step < 0 ? 'no step' : `steps up to ${step}`} of ${run.committedStep}`;
    return {
      about: `tracker ${tracker}`,
      what: `${has}: ${error}; it is tried again, and no run waits for it`,
      moves: [],
    };
  }),
];

const onSearch = async (store: Read, run: RunDocument, now: Date): Promise<readonly Advice[]> => {
  if (hasEnded(run) || isParked(run.status) || run.committedStep < 1) return [];
  const { best, origin, committedStep, totals, pausedMs = 0 } = run;
  const from = Math.max(origin === null ? 0 : origin.step + 1, committedStep - LEAST_STEPS);
  const markers = new Map((await store.stepsAt(run, [from, best?.step ?? from])).map((one) => [one.step, one]));
  const [first, atBest] = [markers.get(from), best === null ? undefined : markers.get(best.step)];
  const since =
    atBest && workedMs({ atMs: atBest.at.getTime(), pausedMs: atBest.pausedMs }, { atMs: now.getTime(), pausedMs });
  const facts: Facts = {
    ...{ config: run.config, steps: committedStep, limits: limitsOf(run, now) },
    sinceBest: best && {
      step: best.step,
      programs: totals.sinceBest,
      seconds: since === undefined ? null : since / 1000,
    },
    recent: first === undefined ? null : { ...failedSince(run, first), reasons: {} },
  };
  const advice = adviceOn(facts);
  // Programs are read only where a reason would be told.
  if (facts.recent === null || !advice.some(({ about }) => about === 'failures')) return advice;
  return adviceOn({ ...facts, recent: { ...facts.recent, reasons: await reasonsOf(store, run) } });
};

type Recent = NonNullable<Facts['recent']>;

const failedSince = ({ totals }: RunDocument, from: StepDocument): Omit<Recent, 'reasons'> => ({
  programs: totals.programs - from.totals.programs,
  failures: Object.fromEntries(
    Object.entries(totals.failures).map(([outcome, many]) => [
      outcome,
      many - (from.totals.failures[outcome as Exclude<Outcome, 'valid'>] ?? 0),
    ]),
  ),
});

/** The most frequent reason of each failure in the last step. */
const reasonsOf = async (store: Read, { run, committedStep }: RunDocument): Promise<Recent['reasons']> => {
  const failed: { readonly outcome: Outcome; readonly alike: string }[] = [];
  for await (const {
    outcome,
    reasons: [reason],
  } of store.eachProgram(run, { fromStep: committedStep }))
    if (outcome !== 'valid' && reason !== undefined) failed.push({ outcome, alike: alikeText(reason) });
  const reasons: { [outcome in Outcome]?: string } = {};
  for (const [outcome, all] of Map.groupBy(failed, (one) => one.outcome)) {
    const alike = [...Map.groupBy(all, (one) => one.alike).values()];
    reasons[outcome] = alike.reduce((most, one) => (one.length > most.length ? one : most))[0]!.alike;
  }
  return reasons;
};

const LONGEST = 120;

/** Reasons that differ in numbers alone are one. */
const alikeText = (reason: string): string => {
  const [line = ''] = reason.trim().split('\n');
  const text = line.replaceAll(/[-+]?\d+(\.\d+)?(e[-+]?\d+)?/gi, '…').replace(/\.$/, '');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
};

/** One marker is read, and not a page of those behind it. */
const pointAt = async (store: Pick<Store, 'eachStep'>, run: RunDocument, step: number): Promise<PacePoint | null> => {
  for await (const { totals, at, pausedMs } of store.eachStep({ ...run, committedStep: step }, step)) {
    const { programs, tokens, costUsd } = totals;
    return { step, programs, tokens: tokens.in + tokens.out, costUsd, atMs: at.getTime(), pausedMs };
  }
  return null;
};

/**
 * The same rate as that of the page (evolution/budget/pace.ts): until now, so that a run that stands still becomes
 * slower. Null before its second step and where it does not run. The steps that a fork has of another run do not count.
 */
export const paceOf = async (store: Pick<Store, 'eachStep'>, run: RunDocument, now: Date): Promise<Rate | null> => {
  const { status, committedStep, origin, pausedMs = 0 } = run;
  const least = origin === null ? 0 : origin.step + 1;
  if (status !== 'running' || committedStep <= least) return null;
  const last = await pointAt(store, run, committedStep);
  for (let back = LEAST_STEPS; last !== null; back *= 2) {
    const step = Math.max(least, committedStep - back);
    const first = await pointAt(store, run, step);
    if (first === null) return null;
    if (step === least || isLongEnough(first, last)) return rateBetween(first, last, { atMs: now.getTime(), pausedMs });
  }
  return null;
};
