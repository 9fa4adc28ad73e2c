// What is worth a notification of the browser: a run needs a person, has ended, or has a better best. All of it is pure.
import { hasEnded } from '../../../evolution/run-states.ts';
import { isBetter } from '../../../evolution/scoring/ranking.ts';
import { endOf, type RunCard } from '../../api/run/runs.ts';
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

/** Compares each look at all runs with what was told before. The first look tells nothing. */
export class RunNews {
  readonly #told = new Map<string, Told>();
  #looked = false;

  since(runs: readonly RunCard[], nowMs: number): readonly Notice[] {
    const notices = runs.flatMap((run) => this.#of(run, nowMs) ?? []);
    this.#looked = true;
    return notices;
  }

  /** At most one notice of a run in a look: the one that matters most. */
  #of(run: RunCard, nowMs: number): Notice | null {
    const [urgent, ended] = [run.next.urgent, hasEnded({ status: run.state })];
    const best = run.best?.ranking ?? null;
    const before = this.#told.get(run.run) ?? { urgent: false, ended: !this.#looked, best: null, bestMs: -Infinity };
    const first = !this.#looked || !this.#told.has(run.run);
    const better =
      best !== null && (before.best === null || isBetter(run.known?.direction ?? 'maximise', best, before.best));
    // A best that comes too soon is told of later, if it is not surpassed then.
    const tellsBest = !first && better && nowMs - before.bestMs >= BEST_MS;
    const keeps = better && !first && !tellsBest;
    this.#told.set(run.run, {
      ...{ urgent, ended, best: keeps ? before.best : best },
      bestMs: tellsBest ? nowMs : before.bestMs,
    });
    if (urgent && !before.urgent && this.#looked)
      return { run: run.run, title: `${run.run} needs a person`, text: run.next.what };
    if (ended && !before.ended && this.#looked)
      return { run: run.run, title: `${run.run} has ended`, text: endOf(run.state, run.stopReason ?? run.state) };
    return tellsBest
      ? {
          run: run.run,
          title: `${run.run} has a new best`,
          text: `${score(best)} in step ${run.improved?.step ?? run.steps}`,
        }
      : null;
  }
}
