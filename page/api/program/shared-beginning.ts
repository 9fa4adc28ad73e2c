// A model often describes its changes with the same first words. Where there is room for a few words only, those that
// tell the changes apart are shown.

/** So many words may be the same by chance. */
const BY_CHANCE = 3;

/** The number of characters with which all the texts begin alike: whole words, which leave a word in every text. */
export const sharedBeginning = (texts: readonly string[]): number => {
  const [first, ...others] = new Set(texts);
  if (first === undefined || others.length === 0) return 0;
  let length = first.length;
  for (const other of others) {
    let at = 0;
    while (at < length && first[at] === other[at]) at += 1;
    length = at;
  }
  const whole = first.slice(0, length).lastIndexOf(' ') + 1;
  return first.slice(0, whole).trim().split(/\s+/).length > BY_CHANCE ? whole : 0;
};

/** A text without the beginning that it shares, which three points stand for; an empty one stays empty. */
export const fromWhereTheyDiffer = (text: string, shared: number): string =>
  shared === 0 || text.length < shared ? text : `… ${text.slice(shared)}`;
