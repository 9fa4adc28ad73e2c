// An endpoint that takes requests and never answers holds each place for the whole time-out, and other runs' models
// wait meanwhile. After the first time-out it gets only a few places at a time, until it answers. None of this is
// stored: a worker that starts anew learns it again.

/** The places of an endpoint that is silent. */
export const SILENT_PLACES = 4;

export interface Silence {
  /**
   * Takes a place at the endpoint; null where it is silent and has its few places. Leave it with the function given.
   */
  enter(endpoint: string): (() => void) | null;
  /** A request to it ended by its time-out, without a word from the endpoint. */
  timedOut(endpoint: string): void;
  /** Something came from it, be it an error. */
  spoke(endpoint: string): void;
}

export const createSilence = (): Silence => {
  const silent = new Set<string>();
  const taken = new Map<string, number>();
  const change = (endpoint: string, by: number): void => {
    const places = (taken.get(endpoint) ?? 0) + by;
    if (places === 0) taken.delete(endpoint);
    else taken.set(endpoint, places);
  };
  return {
    enter(endpoint) {
      if (silent.has(endpoint) && (taken.get(endpoint) ?? 0) >= SILENT_PLACES) return null;
      change(endpoint, 1);
      let left = false;
      return () => {
        if (!left) change(endpoint, -1);
        left = true;
      };
    },
    timedOut: (endpoint) => {
      silent.add(endpoint);
    },
    spoke: (endpoint) => {
      silent.delete(endpoint);
    },
  };
};
