// A short list of the best of many that come one by one.

/**
 * Puts `one` in its place among those kept, best first, and drops what is beyond `most`. Of equals the earlier stays.
 */
export const keepBest = <T>(kept: T[], one: T, most: number, worth: (one: T) => number): void => {
  const value = worth(one);
  if (kept.length >= most && worth(kept.at(-1)!) >= value) return;
  const at = kept.findIndex((other) => worth(other) < value);
  kept.splice(at < 0 ? kept.length : at, 0, one);
  if (kept.length > most) kept.pop();
};
