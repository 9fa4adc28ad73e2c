// Scores on hidden instances are made beside the steps: each program that becomes the best of its run is scored on
// them, where its task has some. No step waits for it, and nothing is decided by it. What a failure or a restart leaves
// undone is done when the run is opened again.
import { CancellationScope } from '@temporalio/workflow';
import type { RunBrief } from '../../activities/interface/run.ts';
import { hiddenShareOf } from '../../evolution/schedule/sharing.ts';
import { onHosts } from '../engine/hosted.ts';
import { hiddenScores } from '../engine/proxies.ts';

export class Holdout {
  readonly #onIdle: () => void;
  #followed: string | null = null;
  #scope: CancellationScope | null = null;
  /** Counts cancellations, so that what was queued before one does not begin. */
  #turn = 0;
  #queue: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(onIdle: () => void) {
    this.#onIdle = onIdle;
  }

  /** Programs are scored one after the other, in the order in which they became the best. */
  follow(brief: RunBrief): void {
    const { run, best, holdout, queue } = brief;
    if (holdout !== true || best === null || best.program === this.#followed) return;
    const { program } = best;
    const turn = this.#turn;
    this.#followed = program;
    this.#waiting += 1;
    this.#queue = this.#queue
      .then(async () => {
        if (turn !== this.#turn) return;
        this.#scope = new CancellationScope();
        await this.#scope
          .run(() =>
            onHosts({ run, queue }, (hosted) =>
              hiddenScores.evaluateHidden.executeWithOptions(
                { summary: `hidden instances: ${program}`, priority: hiddenShareOf(brief), ...hosted },
                [{ run, program }],
              ),
            ),
          )
          .catch(() => undefined);
      })
      .finally(() => {
        this.#waiting -= 1;
        if (this.#waiting === 0) this.#onIdle();
      });
  }

  get busy(): boolean {
    return this.#waiting > 0;
  }

  /** Ends what is under way; a later `follow` begins again. */
  async cancel(): Promise<void> {
    this.#turn += 1;
    this.#followed = null;
    this.#scope?.cancel();
    await this.#queue;
  }
}
