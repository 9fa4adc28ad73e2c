// The lines of rm-train.jsonl and rm-eval.jsonl (AlphaResearch, section 2, Reward-model recipe). Called by `evolve export reward-model`.
import type { Judged } from '../prompts/judge-prompt.ts';
import { meanRating, type ReviewRecord } from './reward-records.ts';

/** Mean rating, one decimal, halves up: what the gate's scores are made of. */
export const targetOf = (record: ReviewRecord): string => (Math.round(meanRating(record) * 10) / 10).toFixed(1);

/** One JSON text without a line end: `question` (what the gate asks) and `response`, and the same as chat `messages`. */
export const trainLine = (record: ReviewRecord, ask: (judged: Judged) => string): string => {
  const question = ask({ title: record.title, idea: record.abstract });
  const response = `\\boxed{${targetOf(record)}}`;
  return JSON.stringify({ question, response, messages: [{ role: 'user', content: question }, { role: 'assistant', content: response }] });
};

/** One JSON text without a line end. The mean is not rounded: 5.54 is above 5.5. */
export const evalLine = (record: ReviewRecord): string => JSON.stringify({ title: record.title, abstract: record.abstract, avg_rating: meanRating(record) });

/** As a file: every line ends. */
export const jsonLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
