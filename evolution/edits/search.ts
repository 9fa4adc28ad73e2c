// Finds the places of one sequence of numbers in another: of lines, each standing as a number, or of the characters of
// a text. The search of Knuth, Morris and Pratt (SIAM Journal on Computing 6, 1977) takes as many steps as the two are
// long together. A search that begins again at each place takes their product, and the texts come from models: a
// thousand equal lines are enough to make that a day's work.
type Sequence = ArrayLike<number>;

/** The beginnings of `wanted`, which is not empty, in `text`. Without `overlapping`, places share no element. */
export const placesOf = function* (
  text: Sequence,
  wanted: Sequence,
  { overlapping }: { readonly overlapping: boolean },
): Generator<number> {
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const element = text[at]!;
    while (matched > 0 && wanted[matched] !== element) matched = borders[matched - 1]!;
    if (wanted[matched] === element) matched++;
    if (matched < wanted.length) continue;
    yield at + 1 - matched;
    matched = overlapping ? borders[matched - 1]! : 0;
  }
};

/** For each beginning of the sequence, the length of the longest shorter beginning that it ends with. */
const bordersOf = (wanted: Sequence): Int32Array => {
  const borders = new Int32Array(wanted.length);
  let border = 0;
  for (let at = 1; at < wanted.length; at++) {
    while (border > 0 && wanted[border] !== wanted[at]) border = borders[border - 1]!;
    if (wanted[border] === wanted[at]) border++;
    borders[at] = border;
  }
  return borders;
};

/** The UTF-16 units of a text. */
export const unitsOf = (text: string): Uint16Array => {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at);
  return units;
};
