// Files for a reward model (AlphaResearch 2.3.1, Table 2): records of reviewed papers, and a check of how well a judge
// tells good papers from others. Both have one JSON object a line, and every mistake is named with file, line and key.
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChatRequest, type ModelClient, ModelError } from '../../activities/llm/chat/client.ts';
import { isLongWait, saidBy } from '../../activities/llm/transport/model-error.ts';
import { shown } from '../../evolution/config/shown.ts';
import { readAnswer } from '../../evolution/edits/diff.ts';
import { parseVerdict } from '../../evolution/ideas/idea.ts';
import { type Accuracy, accuracyOf, type Prediction, type ReviewRecord } from '../../evolution/ideas/reward-records.ts';
import type { Judged } from '../../evolution/prompts/idea-prompts.ts';
import { BadEndError, UsageError } from '../connect/errors.ts';

/** An error names at most so many mistakes. */
const NAMED = 20;

/**
 * The records of a file of JSON lines. Blank lines and unknown keys are ignored. `problemsIn` names the mistakes of a
 * record, which is the error where the line is no JSON. Throws UsageError with every mistake: file, line and key.
 */
export const readRecords = <T>(
  text: string,
  file: string,
  expected: string,
  problemsIn: (record: unknown, line: string) => readonly string[],
): readonly T[] => {
  const problems: string[] = [];
  const records: T[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === '') continue;
    const record = parsed(line);
    const own = problemsIn(record, line);
    problems.push(...own.map((problem) => `${file}:${index + 1}: ${problem}`));
    if (own.length === 0) records.push(record as T);
  }
  const more = problems.length > NAMED ? [`and ${problems.length - NAMED} more`] : [];
  if (problems.length > 0) throw new UsageError([...problems.slice(0, NAMED), ...more].join('\n'));
  if (records.length === 0) throw new UsageError(`${file}: expected at least one ${expected}, got none`);
  return records;
};

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch (error) {
    return error;
  }
};

/** The fields of a record; none where it is no object. */
export const fieldsOf = (record: unknown): Readonly<Record<string, unknown>> =>
  typeof record === 'object' && record !== null ? (record as Readonly<Record<string, unknown>>) : {};

/** A record for a message: the line itself where it is no JSON. */
export const shownRecord = (record: unknown, line: string): string => shown(record instanceof Error ? line : record);

export const readReviewRecords = (text: string, file: string): readonly ReviewRecord[] =>
  readRecords(text, file, 'record {id, year, date, title, abstract, ratings[]} a line', problemsOf);

const problemsOf = (record: unknown): readonly string[] => {
  if (record instanceof Error) return [`expected one JSON object a line: ${record.message}`];
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    return [`expected a JSON object, got ${shown(record)}`];
  const fields = fieldsOf(record);
  const wrong = (key: string, expected: string, value = fields[key]): string =>
    `${key}: expected ${expected}, got ${shown(value)}`;
  const { ratings, year } = fields;
  return [
    ...['id', 'date', 'title', 'abstract'].flatMap((key) =>
      typeof fields[key] === 'string' ? [] : [wrong(key, 'a text')],
    ),
    ...(Number.isInteger(year) ? [] : [wrong('year', 'a whole number')]),
    ...(Array.isArray(ratings)
      ? ratings.flatMap((rating: unknown, index) =>
          typeof rating === 'number' ? [] : [wrong(`ratings.${index}`, 'a number', rating)],
        )
      : [wrong('ratings', 'a list of numbers')]),
  ];
};

/** One line of rm-eval.jsonl. */
export type EvalRecord = { readonly title: string; readonly abstract: string; readonly avg_rating: number };

/** The sampling of the judge, which is that of a gate. */
export type JudgeSampling = Pick<ChatRequest, 'temperature' | 'topP' | 'maxTokens' | 'reasoningEffort' | 'stream'>;

const ATTEMPTS = 4;

type Check = {
  readonly client: Pick<ModelClient, 'chat'>;
  readonly model: string;
  readonly timeoutMs: number;
  readonly sampling: JudgeSampling;
  readonly question: (judged: Judged) => string;
  /** Requests in flight. */
  readonly parallel: number;
  /** Milliseconds before another attempt, where the endpoint names no time. */
  readonly pauseMs?: number;
};

/**
 * Asks the judge about every record, as the gate asks, and compares its scores with the ratings. A judge that cannot be
 * asked ends the check, because a part of the records gives no accuracy.
 */
export const checkJudge = async (records: readonly EvalRecord[], check: Check): Promise<Accuracy> => {
  const predictions: Prediction[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: Math.min(check.parallel, records.length) }, async () => {
      for (let index = next++; index < records.length; index = next++) {
        const { title, abstract, avg_rating: rating } = records[index]!;
        const answer = await ask(check, check.question({ title, idea: abstract }), index).catch((error: unknown) => {
          next = records.length;
          throw error;
        });
        predictions.push({ score: parseVerdict(readAnswer(answer, 'answer')), rating });
      }
    }),
  );
  return accuracyOf(predictions);
};

const ask = async (
  { client, model, timeoutMs, sampling, pauseMs = 1_000 }: Check,
  content: string,
  index: number,
): Promise<string> => {
  for (let attempt = 1; ; attempt++) {
    try {
      const { choices } = await client.chat(
        {
          ...sampling,
          n: 1,
          seed: 0,
          model,
          timeoutMs,
          messages: [{ role: 'user', content }],
          key: `check-judge-${index}`,
        },
        AbortSignal.timeout(timeoutMs + 10_000),
      );
      return choices[0]?.text ?? '';
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      if (error.fatal || isLongWait(error) || attempt === ATTEMPTS)
        throw new BadEndError(`record ${index + 1}: the judge could not be asked: ${saidBy(error)}`);
      await sleep(error.retryAfterMs ?? pauseMs * 2 ** (attempt - 1));
    }
  }
};

export const readEvalRecords = (text: string, file: string): readonly EvalRecord[] =>
  readRecords(text, file, 'line {title, abstract, avg_rating}', (record, line) => {
    const { title, abstract, avg_rating: rating } = fieldsOf(record);
    return typeof title === 'string' && typeof abstract === 'string' && Number.isFinite(rating)
      ? []
      : [`expected {title, abstract, avg_rating}, a line of rm-eval.jsonl, got ${shownRecord(record, line)}`];
  });
