// What a request is made of, in characters, by the headings of its sections; and how much of it an endpoint can read
// from its cache (`evolve prompt --json`).
import type { Message } from '../types.ts';

/** The headings of each share. What stands below another heading belongs to the section before. */
const HEADINGS = {
  problem: ['Problem', 'Metrics', 'Limits'],
  rules: ['How to edit', 'Delta instructions', 'Rewrite'],
  advice: ['Advice'],
  /** The program to change, with its results. */
  parent: [
    ...['The program to change', 'Current program', 'Current Program', 'Previous Program', 'Parent Program'],
    ...['Current Program Information', 'Current Metrics', 'Previous Performance Metrics'],
    ...['Previous Proposal', 'Current Proposal', 'Proposal'],
  ],
  /** Other programs, whole or as a difference; earlier turns too. */
  others: [
    ...['Prior programs', 'Earlier versions', 'Earlier version', 'Best programs', 'Diverse programs', 'Inspirations'],
    ...['Inspirations: Delta of History Nodes', 'Best program of this search', 'Best Program So Far'],
    ...['Program to cross with'],
  ],
  attempts: [
    ...['Attempts on this program', 'Previous attempts', 'Latest failed attempt', 'Elsewhere in this search'],
    ...['Other requests', 'Lines that came back'],
  ],
  request: ['Hint from a person', 'Recommendation', 'Task', 'Request', 'Your task'],
} as const;

type Share = keyof typeof HEADINGS;
/** Characters of each share; together those of all messages. */
export type Shares = { readonly [share in Share]: number };

const SHARE_OF = new Map<string, Share>(
  (Object.keys(HEADINGS) as Share[]).flatMap((share) => HEADINGS[share].map((heading) => [heading, share] as const)),
);

/** Each message begins with the problem, an answer of an earlier turn is one of `others`. */
export const sharesOf = (messages: readonly Message[]): Shares => {
  const shares = { problem: 0, rules: 0, advice: 0, parent: 0, others: 0, attempts: 0, request: 0 };
  for (const { role, content } of messages) {
    let share: Share = role === 'assistant' ? 'others' : 'problem';
    let fence: string | null = null;
    for (const [line] of content.matchAll(/[^\n]*\n|[^\n]+$/g)) {
      const marks = /^`{3,}/.exec(line)?.[0];
      if (fence === null) {
        if (role !== 'assistant') share = SHARE_OF.get(/^# (.*?)\s*$/.exec(line)?.[1] ?? '') ?? share;
        fence = marks ?? null;
      } else if (marks !== undefined && marks.length >= fence.length) fence = null;
      shares[share] += line.length;
    }
  }
  return shares;
};

/** The text of a request, as it is compared with others. */
export const requestText = (messages: readonly Message[]): string =>
  messages.map(({ content }) => content).join('\n\n');

/** Characters at the beginning that both texts have. */
export const commonPrefix = (one: string, other: string): number => {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one[at] === other[at]) at++;
  return at;
};
