// Numbers as texts for people, on the page and in the terminal.

/** So many significant digits; ten tell two scores of a search apart. */
export const score = (value: number | null | undefined, digits = 10): string =>
  value == null || Number.isNaN(value) ? '–' : String(Number(value.toPrecision(digits)));

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
export const count = (value: number): string => whole.format(value);

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
export const compact = (value: number): string =>
  Math.abs(value) < 10_000 ? whole.format(value) : short.format(value);

export const usd = (value: number): string =>
  value === 0 ? '$0' : `$${value < 0.01 ? value.toPrecision(2) : value < 100 ? value.toFixed(2) : whole.format(value)}`;

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
