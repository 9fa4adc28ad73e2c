// Error messages ask "did you mean" with the known name that is closest to a mistyped one; it is found here.

/** The number of edits (insert, delete, replace, swap of neighbours) that turn one word into another. */
export const distance = (a: string, b: string): number => {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replace = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(replace, row[j]! + 1, next[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1);
      next.push(least);
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
};

/** Nobody mistypes a longer name, and the time to compare two grows with the product of their lengths. */
const MAX_CHARS = 200;

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The nearest known name, or null when none is near; one that begins with the name is. Case, dashes and underscores do not count. */
export const nearest = (name: string, known: readonly string[]): string | null => {
  if (name.length > MAX_CHARS) return null;
  const plainName = plain(name);
  let best: { name: string; distance: number } | null = null;
  for (const candidate of known) {
    if (candidate.length > MAX_CHARS) continue;
    const target = plain(candidate);
    const far = distance(plainName, target);
    const near =
      far <= Math.max(1, Math.floor(Math.max(plainName.length, target.length) / 2.5)) ||
      (plainName.length >= 4 && target.startsWith(plainName));
    if (near && (best === null || far < best.distance)) best = { name: candidate, distance: far };
  }
  return best?.name ?? null;
};

/** The text ` Did you mean "x"?`, or an empty one where no known name is near. */
export const didYouMean = (name: string, known: readonly string[]): string => {
  const near = nearest(name, known);
  return near === null ? '' : ` Did you mean "${near}"?`;
};
