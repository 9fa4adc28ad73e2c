// Search for a text as it stands, whatever the case of its letters, in what belongs to a program. The server searches
// with it in what is stored, and an exported page in what it holds.
import type { Searched } from './table.ts';

/** A line of GET runs/:run/search?q=&in=code,deltas,ideas; the newest programs come first. */
export type SearchLine =
  | { readonly kind: 'progress'; readonly read: number; readonly total: number }
  /** `step` is that of the commit. */
  | {
      readonly kind: 'found';
      readonly id: string;
      readonly step: number;
      readonly where: Searched;
      readonly excerpt: string;
    }
  /** `full`: there are more, which were not looked for. */
  | { readonly kind: 'end'; readonly read: number; readonly total: number; readonly full: boolean };

/** After so many programs a search ends. */
export const MOST_FOUND = 5_000;

export const searchPath = (run: string, text: string, searched: readonly Searched[]): string =>
  `runs/${encodeURIComponent(run)}/search?${new URLSearchParams({ q: text, in: searched.join(',') }).toString()}`;

/** Matches the text literally. */
export const patternOf = (text: string): RegExp => new RegExp(text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'i');

type Texts = {
  readonly code: string | null;
  readonly change?:
    | {
        readonly summary: { readonly from: string; readonly to: string };
        readonly plan: readonly {
          readonly component: string;
          readonly oldLogic: string;
          readonly newLogic: string;
          readonly hypothesis: string;
        }[];
      }
    | undefined;
  readonly idea: string | null;
};

const textsOf = ({ code, change, idea }: Texts, where: Searched): readonly string[] => {
  if (where === 'code') return code === null ? [] : [code];
  if (where === 'ideas') return idea === null ? [] : [idea];
  if (change === undefined) return [];
  const { summary, plan } = change;
  return [
    summary.from,
    summary.to,
    ...plan.flatMap(({ component, oldLogic, newLogic, hypothesis }) => [component, oldLogic, newLogic, hypothesis]),
  ];
};

/** Characters of an excerpt before the place, and in all. */
const BEFORE = 30;
const MOST = 120;

/** The line around a place, cut to what a row of a table can show. */
const excerptAt = (text: string, at: number, length: number): string => {
  const lineStart = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
  const start = Math.max(lineStart, at - BEFORE);
  const lineEnd = text.indexOf('\n', at + length);
  const end = Math.min(lineEnd === -1 ? text.length : lineEnd, start + MOST);
  return `${start > lineStart ? '… ' : ''}${text.slice(start, end).trim()}`;
};

/** The first place where the text stands; null where it stands nowhere. */
export const searchIn = (
  texts: Texts,
  pattern: RegExp,
  searched: readonly Searched[],
): { readonly where: Searched; readonly excerpt: string } | null => {
  for (const where of searched)
    for (const text of textsOf(texts, where)) {
      const found = pattern.exec(text);
      if (found !== null) return { where, excerpt: excerptAt(text, found.index, found[0].length) };
    }
  return null;
};
