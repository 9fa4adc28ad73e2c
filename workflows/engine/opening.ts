// A run or a sweep that is being opened: its activity may fail for long and its phase may be parked, and people must
// be able to end it then too.
import { CancellationScope, isCancellation } from '@temporalio/workflow';

export class Opening {
  readonly #scope = new CancellationScope();
  #givenUp = false;
  #over = false;

  get over(): boolean {
    return this.#over;
  }

  /** Ends the opening, because somebody stopped what is opened. */
  giveUp(): void {
    this.#givenUp = true;
    this.#scope.cancel();
  }

  /** Returns the result of `open`; null where it was given up. Cancellation from outside and other errors pass through. */
  async run<T>(open: () => Promise<T>): Promise<T | null> {
    try {
      const opened = await this.#scope.run(open);
      this.#over = true;
      return opened;
    } catch (error) {
      if (this.#givenUp && isCancellation(error) && !CancellationScope.current().consideredCancelled) return null;
      throw error;
    }
  }
}
