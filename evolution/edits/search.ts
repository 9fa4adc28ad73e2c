// The places of one sequence in another (Knuth, Morris and Pratt, 1977), in as many steps as both are long. Texts come
// from models: with the product of both, a thousand equal lines are a day's work.
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
