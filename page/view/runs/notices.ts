// What is worth a notification of the browser: a run needs a person, has ended, or has a better best.
import { endOf } from '../../../evolution/budget/limits.ts';
import { hasEnded } from '../../../evolution/run-states.ts';
import { isBetter } from '../../../evolution/scoring/ranking.ts';
import type { RunCard } from '../../api/run/runs.ts';
import { score } from '../base/text.ts';

/** Bests of a run are told so often at most. */
const BEST_MS = 600_000;

export type Notice = { readonly run: string; readonly title: string; readonly text: string };
type Told = {
  readonly urgent: boolean;
  readonly ended: boolean;
  readonly best: number | null;
  readonly bestMs: number;
};
const NOTHING: Told = { urgent: false, ended: false, best: null, bestMs: -Infinity };

/** Compares each look at all runs with what was told before. The first look tells nothing. */
export class RunNews {
  #told: Map<string, Told> | null = null;

  since(runs: readonly RunCard[], nowMs: number): readonly Notice[] {
    const first = this.#told === null;
    const told = (this.#told ??= new Map<string, Told>());
    const notices = runs.flatMap((run) => this.#of(run, nowMs, told) ?? []);
    return first ? [] : notices;
  }

  /** The notice that matters most. */
  #of(card: RunCard, nowMs: number, told: Map<string, Told>): Notice | null {
    const { run, known, state } = card;
    const before = told.get(run) ?? NOTHING;
    const [urgent, ended, best] = [card.next.urgent, hasEnded({ status: state }), card.best?.ranking ?? null];
    const isHigher =
      best !== null && before.best !== null && isBetter(known?.direction ?? 'maximise', best, before.best);
    const tells = isHigher && nowMs - before.bestMs >= BEST_MS;
    // A best that comes too soon is compared again later.
    const next = tells ? { best, bestMs: nowMs } : { best: isHigher ? before.best : best, bestMs: before.bestMs };
    told.set(run, { urgent, ended, ...next });
    if (urgent && !before.urgent) return { run, title: `${run} needs a person`, text: card.next.what };
    if (ended && !before.ended) return { run, title: `${run} has ended`, text: endOf(state, card.stopReason ?? state) };
    const step = card.improved?.step ?? card.steps;
    return tells ? { run, title: `${run} has a new best`, text: `${score(best)} in step ${step}` } : null;
  }
}
