// The windows of a stream overlap (workflows/stream/stream.ts): the present one asks for the next, which goes on with the
// stream while the requests of the present one are answered. All of them are one piece of work of the run, which ends
// with the last of them.
import type { CancellationScope } from '@temporalio/workflow';
import type { StepSummary } from '../../activities/interface/step.ts';
import type { Report } from '../engine/reports.ts';

type Begin = (step: number, continues: number) => Promise<StepSummary>;

export class Windows {
  readonly #begin: Begin;
  readonly #scope: CancellationScope;
  /** By the steps in whose names they are, the first one too. */
  readonly #open: Set<number>;
  readonly #further: Promise<StepSummary>[] = [];
  readonly #reports = new Map<number, Report>();
  #lost: { readonly error: unknown } | null = null;
  #closesLater = false;
  newest: number;

  constructor(first: number, scope: CancellationScope, begin: Begin) {
    this.newest = first;
    this.#open = new Set([first]);
    this.#scope = scope;
    this.#begin = begin;
  }

  /** True where there are windows after the first one. */
  get more(): boolean {
    return this.#further.length > 0;
  }

  get open(): readonly number[] {
    return [...this.#open];
  }

  /** The next window begins. It is closed as soon as it is there, where `closeLater` is called before. */
  next(step: number): void {
    const before = this.newest;
    this.newest = step;
    this.#open.add(step);
    const window = this.#scope.run(() => this.#begin(step, before));
    window.then(
      () => this.#open.delete(step),
      (error: unknown) => {
        this.#lost ??= { error };
        this.#scope.cancel();
      },
    );
    this.#further.push(window);
  }

  closeLater(): void {
    if (this.#further.length > 0) this.#closesLater = true;
  }

  get closesLater(): boolean {
    return this.#closesLater;
  }

  /** The report of the window that has been parked longest; null where none is. */
  report(one: Report): Report | null {
    if (one.attention === null) this.#reports.delete(one.step);
    else this.#reports.set(one.step, one);
    return this.#reports.values().next().value ?? null;
  }

  /** Waits for the windows after the first one, whose result it is given, and returns that of the last step. */
  async ended(first: StepSummary): Promise<StepSummary> {
    let last = first;
    for (let index = 0; index < this.#further.length; index += 1) {
      const summary = await this.#further[index]!;
      if (summary.step >= last.step) last = summary;
    }
    return last;
  }

  /** Ends those that are left, after one was lost, and returns why that was. */
  async lost(error: unknown): Promise<unknown> {
    this.#scope.cancel();
    await Promise.allSettled(this.#further);
    return this.#lost === null ? error : this.#lost.error;
  }
}
