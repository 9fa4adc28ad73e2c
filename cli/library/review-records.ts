// Records of reviewed papers as a file holds them, one JSON object a line. Every mistake is named with file, line and key. Used by
// `evolve export reward-model`.
import { shown } from '../../evolution/config/problems.ts';
import type { ReviewRecord } from '../../evolution/ideas/reward-records.ts';
import { UsageError } from './errors.ts';

/** Mistakes that an error names. */
const NAMED = 20;

/** Blank lines are passed over, keys that are not known too. */
export const readReviewRecords = (text: string, file: string): readonly ReviewRecord[] => {
  const problems: string[] = [];
  const records = text.replace(/^\uFEFF/, '').split(/\r?\n/).flatMap((line, index): ReviewRecord[] => {
    if (line.trim() === '') return [];
    const where = `${file}:${index + 1}`;
    const record = parsed(line);
    const wrong = record instanceof Error ? [record.message] : problemsOf(record);
    problems.push(...wrong.map((problem) => `${where}: ${problem}`));
    return wrong.length === 0 ? [record as ReviewRecord] : [];
  });
  if (problems.length > 0) {
    throw new UsageError([...problems.slice(0, NAMED), ...(problems.length > NAMED ? [`and ${problems.length - NAMED} more`] : [])].join('\n'));
  }
  if (records.length === 0) throw new UsageError(`${file}: expected at least one record {id, year, date, title, abstract, ratings[]} a line, got none`);
  return records;
};

const parsed = (line: string): unknown => {
  try { return JSON.parse(line); } catch (error) { return new Error(`expected one JSON object a line: ${error instanceof Error ? error.message : String(error)}`); }
};

const problemsOf = (record: unknown): readonly string[] => {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return [`expected a JSON object, got ${shown(record)}`];
  const fields = record as Readonly<Record<string, unknown>>;
  const wrong = (key: string, expected: string, value = fields[key]): string => `${key}: expected ${expected}, got ${shown(value)}`;
  const { ratings, year } = fields;
  return [
    ...['id', 'date', 'title', 'abstract'].flatMap((key) => (typeof fields[key] === 'string' ? [] : [wrong(key, 'a text')])),
    ...(Number.isInteger(year) ? [] : [wrong('year', 'a whole number')]),
    ...(Array.isArray(ratings)
      ? ratings.flatMap((rating: unknown, index) => (typeof rating === 'number' ? [] : [wrong(`ratings.${index}`, 'a number', rating)]))
      : [wrong('ratings', 'a list of numbers')]),
  ];
};
