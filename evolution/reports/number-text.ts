// Numbers as texts for people, on the page and in the terminal.

/** So many significant digits; ten tell two scores of a search apart. */
export const score = (value: number | null | undefined, digits = 10): string =>
  value == null || Number.isNaN(value) ? '–' : String(Number(value.toPrecision(digits)));

/** As many as ten digits have behind a point after the first of them. */
const MOST_ALIGNED = 9;

/** The digits after the point of the scores of a column, so that their points stand below each other. */
export const decimalsOf = (values: Iterable<number | null>): number => {
  let most = 0;
  for (const value of values) {
    const text = score(value);
    if (text.includes('e')) return 0;
    most = Math.max(most, text.length - 1 - (text.includes('.') ? text.indexOf('.') : text.length - 1));
    if (most >= MOST_ALIGNED) return MOST_ALIGNED;
  }
  return most;
};

/** A score with so many digits after the point; a small one keeps all that it has. */
export const alignedScore = (value: number | null | undefined, decimals: number): string => {
  const text = score(value);
  const digits = text.includes('.') ? text.length - 1 - text.indexOf('.') : 0;
  if (value == null || !/^-?[\d.]+$/.test(text) || digits === decimals) return text;
  if (digits > decimals) return Math.abs(value) < 0.1 ? text : value.toFixed(decimals);
  return `${text}${digits === 0 ? '.' : ''}${'0'.repeat(decimals - digits)}`;
};

/** The scores of a column. */
export const alignedScores = (values: readonly (number | null)[]): readonly string[] => {
  const decimals = decimalsOf(values);
  return values.map((value) => alignedScore(value, decimals));
};

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
export const count = (value: number): string => whole.format(value);

/** `1 run`, `2 runs`. */
export const counted = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

/** 1234567 -> 1.23 M; a number that is none is unknown. */
export const amount = (value: number): string => {
  if (!Number.isFinite(value)) return 'unknown';
  if (value < 10_000) return count(value);
  const [size, unit] = value < 1e6 ? [value / 1e3, 'k'] : value < 1e9 ? [value / 1e6, 'M'] : [value / 1e9, 'G'];
  return `${size < 1000 ? Number(size.toPrecision(3)) : count(size)} ${unit}`;
};

/** An infinite sum comes back from the database as no number. */
export const dollars = (value: number): string => {
  if (!Number.isFinite(value)) return 'unknown';
  if (value === 0) return '$0';
  return `$${value < 0.01 ? value.toPrecision(2) : value < 100 ? value.toFixed(2) : count(value)}`;
};

/** A length of time in the two largest units: `3 d 4 h`, `12 min 5 s`, `0.4 s`. */
export const duration = (seconds: number): string => {
  if (seconds < 10) return `${Number(seconds.toPrecision(2))} s`;
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ] as const;
  const first = units.findIndex(([, size]) => seconds >= size);
  const [name, size] = units[first]!;
  const next = units[first + 1];
  const main = `${Math.floor(seconds / size)} ${name}`;
  const rest = next === undefined ? 0 : Math.floor((seconds % size) / next[1]);
  return rest === 0 ? main : `${main} ${rest} ${next![0]}`;
};

/** Seconds as 0:07, 3:12 or 2:03:59. */
export const clock = (seconds: number): string => {
  const whole = Math.max(0, Math.floor(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h > 0
    ? `${h}:${String(m).padStart(2, '0')}:${String(s).padStart(2, '0')}`
    : `${m}:${String(s).padStart(2, '0')}`;
};
