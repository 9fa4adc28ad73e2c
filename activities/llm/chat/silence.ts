// An endpoint that takes requests and never answers holds each place for the whole time-out, and other runs' models
// wait meanwhile. After the first time-out it gets only a few places at a time, until it answers. None of this is
// stored: a worker that starts anew learns it again.

/** The places of an endpoint that is silent. */
export const SILENT_PLACES = 4;

export class Silence {
  readonly #silent = new Set<string>();
  readonly #taken = new Map<string, number>();

  /**
   * Takes a place at the endpoint; null where it is silent and has its few places. Leave it with the function given.
   */
  enter(endpoint: string): (() => void) | null {
    if (this.#silent.has(endpoint) && (this.#taken.get(endpoint) ?? 0) >= SILENT_PLACES) return null;
    this.#change(endpoint, 1);
    let left = false;
    return () => {
      if (!left) this.#change(endpoint, -1);
      left = true;
    };
  }

  /** A request to it ended by its time-out, without a word from the endpoint. */
  timedOut(endpoint: string): void {
    this.#silent.add(endpoint);
  }

  /** Something came from it, be it an error. */
  spoke(endpoint: string): void {
    this.#silent.delete(endpoint);
  }

  #change(endpoint: string, by: number): void {
    const places = (this.#taken.get(endpoint) ?? 0) + by;
    if (places === 0) this.#taken.delete(endpoint);
    else this.#taken.set(endpoint, places);
  }
}
