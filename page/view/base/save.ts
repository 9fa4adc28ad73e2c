// Files, copied texts and small values that a browser keeps for whoever looks.
import { inCsv } from '../../../evolution/visible.ts';

/** Saves a file where downloads go. */
export const save = (name: string, content: Blob): void => {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  [link.href, link.download] = [url, name];
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
};

/** A picture as text, with its size in pixels. */
export type Picture = { readonly svg: string; readonly width: number; readonly height: number };

/** Rows as a file that spreadsheets read. */
export const csvOf = (rows: readonly (readonly (string | number | null)[])[]): string =>
  rows.map((row) => `${row.map(inCsv).join(',')}\r\n`).join('');

export const copy = async (text: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page that was opened from disk may have no clipboard of its own.
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
};

/** The values of a browser that keeps nothing, such as one that opened the page from disk. */
const held = new Map<string, string>();

export const remembered = (key: string): string | null => {
  try {
    return localStorage.getItem(key);
  } catch {
    return held.get(key) ?? null;
  }
};

/** Keeps a value for the next visit, or else as long as this window is open. A null value is forgotten. */
export const remember = (key: string, value: string | null): void => {
  if (value === null) held.delete(key);
  else held.set(key, value);
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // `held` has it.
  }
};
