// What commands print: lines for people, JSON for machines. Used by every command.

export const line = (text = ''): void => { process.stdout.write(`${text}\n`); };
/** Progress and warnings, apart from the result. */
export const note = (text: string): void => { process.stderr.write(`${text}\n`); };
export const json = (value: unknown): void => line(JSON.stringify(value, null, 2));
/** One object a line. */
export const jsonLine = (value: unknown): void => line(JSON.stringify(value));

/** Scores are shown with 10 significant digits: three decimals hide all progress near a record. */
export const score = (value: number | null | undefined): string => (value === null || value === undefined ? 'none' : String(Number(value.toPrecision(10))));

/** 1234567 -> 1.23 M. */
export const amount = (value: number): string => {
  if (value < 10_000) return String(Math.round(value));
  const [size, unit] = value < 1e6 ? [value / 1e3, 'k'] : value < 1e9 ? [value / 1e6, 'M'] : [value / 1e9, 'G'];
  return `${size < 10 ? size.toFixed(2) : size < 100 ? size.toFixed(1) : size.toFixed(0)} ${unit}`;
};

export const dollars = (value: number): string => `$${value === 0 ? '0' : value.toFixed(value < 1 ? 4 : 2)}`;

/** Seconds as 0:07, 3:12 or 2:03:59. */
export const clock = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h > 0 ? `${h}:${String(m).padStart(2, '0')}:${String(s).padStart(2, '0')}` : `${m}:${String(s).padStart(2, '0')}`;
};

/** Rows as aligned columns. */
export const table = (rows: readonly (readonly string[])[]): readonly string[] => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd());
};
