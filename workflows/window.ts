// A window over concurrent work: at most `size` tasks in flight, the rest wait in order.
import { condition } from '@temporalio/workflow';

export class Window {
  private inFlight = 0;
  private size: number;
  constructor(size: number) { this.size = size; }

  widen(size: number): void { this.size = size; }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.inFlight >= this.size) await condition(() => this.inFlight < this.size);
    this.inFlight += 1;
    try { return await work(); } finally { this.inFlight -= 1; }
  }
}
