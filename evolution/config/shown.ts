// Errors show the value that came. It is apart from the schema, so that commands that only name a value load little.
import { hideCredentials } from './layers.ts';

/** A value as an error shows it: short, with its type where JSON alone would mislead. */
export const shown = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  const text = cut(hideCredentials(jsonOf(value)));
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list (${text})`;
  return typeof value === 'object' ? `a mapping (${text})` : text;
};

/** Programs may give values that JSON has no form for: functions, large whole numbers, circles. */
const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return `a ${typeof value}`;
  }
};

const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}...` : text);
