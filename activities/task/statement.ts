// The texts of a task that models read: the problem statement (problem.md) and the weighted parts of prompts.
import type { Paper, PaperParts, Part, Task } from '../../evolution/task/task.ts';
import type { TaskChoice } from '../../evolution/task/task-choice.ts';
import { fillPlaceholders, shown } from './reading.ts';
import { docstringOf, evaluateOf } from './script.ts';
import { TaskError, type TaskFiles } from './task-files.ts';
import type { TaskFile } from './task-schema.ts';

export const PROBLEM_FILE = 'problem.md';

const BEST_KNOWN = 'bestKnown';

/** What `{ranking}` says of a task whose evaluator gives a strict value beside the score. */
const RANKING: { readonly [scoring in TaskChoice['scoring']]: (scoreName: string) => string } = {
  strict: (name) => `Programs are ranked by \`${name}_strict\`: what the tolerance allows gains nothing.`,
  tolerant: (name) => `Programs are ranked by \`${name}\` as it is, with what the tolerance allows.`,
};

/** Marks a line of problem.md that the papers do not have. It is kept where `prompt.parts` is `own`. */
const OWN = '{own}';

const withOwn = (text: string, own: boolean): string =>
  own
    ? text.replaceAll(OWN, '')
    : text
        .split('\n')
        .filter((line) => !line.includes(OWN))
        .join('\n');

/** The values of the placeholders of a task's texts, by name. */
const placeholderValues = (file: TaskFile, id: string, scoring: TaskChoice['scoring']): { [name: string]: string } => {
  const { title = id, entry, scoreName, direction, limits, instance, values, references } = file;
  const best = references.find((reference) => reference.best)?.value;
  const all = {
    title,
    entry: entry ?? 'construct',
    scoreName,
    direction,
    cpuSeconds: limits.cpuSeconds,
    wallSeconds: limits.wallSeconds,
    memoryMiB: limits.memoryMiB,
    ...(best === undefined ? {} : { [BEST_KNOWN]: best }),
    ranking: RANKING[scoring](scoreName),
    ...instance,
    ...values,
  };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, shown(value)]));
};

const AMOUNT = '\\b\\d[\\d.,]{0,20}[ \\u00a0]{0,3}';
/** Limits, and what the container has, as a person would write them into a text. */
const BY_HAND = [
  new RegExp(`${AMOUNT}(?:seconds?|minutes?|hours?|[KMG]i?B|cores?|CPUs?)\\b`),
  new RegExp(`${AMOUNT}s(?= (?:of|a|per|and|in)\\b|[.;:)]|$)`),
  /\b(?:one|two|four|eight|single|several)[ -](?:CPU )?cores?\b/i,
  /\b(?:numpy|scipy|python|node)[ ]v?\d[\d.]{0,10}/i,
];

type ByHand = { readonly line: number; readonly found: string };

/**
 * The places where a text names seconds, memory, cores or versions by hand. A run may have other limits than its task,
 * and the section of limits that every prompt gets says what is enforced, so such a number can only be the same or
 * false.
 */
export const limitsByHand = (text: string): readonly ByHand[] =>
  text.split('\n').flatMap((words, index) => {
    const found = BY_HAND.map((pattern) => pattern.exec(words.trimEnd())?.[0]).find((match) => match !== undefined);
    return found === undefined ? [] : [{ line: index + 1, found }];
  });

export const byHandProblem = ({ line, found }: ByHand): string =>
  `${line}: expected no seconds, memory, cores or versions written by hand, because every prompt gets a section with the limits that are enforced, got ${JSON.stringify(found)}: remove it, or write a {placeholder} where it belongs to the problem`;

type Filling = { readonly values: { readonly [name: string]: string }; readonly stated: boolean };

const fill = async (files: TaskFiles, path: string, { values, stated }: Filling): Promise<string> => {
  const text = await files.text(path);
  const byHand = stated ? limitsByHand(text).map((found) => `${files.place(path)}:${byHandProblem(found)}`) : [];
  if (byHand.length > 0) throw new TaskError(byHand.join('\n'));
  const best = `{${BEST_KNOWN}}`;
  if (!Object.hasOwn(values, BEST_KNOWN) && text.replaceAll(`{${best}}`, '').includes(best))
    throw new TaskError(
      `${files.place(path)}:${text.slice(0, text.indexOf(best)).split('\n').length}: ${best} is the value of the reference with best: true, and task.yaml has none`,
    );
  try {
    return fillPlaceholders(text, values).trim();
  } catch (error) {
    throw new TaskError(`${files.place(path)}:${(error as Error).message}`, { cause: error });
  }
};

/** The statement of a task without weighted parts: problem.md, else the key `problem`, else the words of a script. */
const wholeStatement = async (files: TaskFiles, file: TaskFile, values: Filling['values']): Promise<Statement> => {
  const { problem } = file;
  const stated = files.has(PROBLEM_FILE);
  if (stated ? problem !== undefined : problem === undefined && file.kind !== 'script')
    throw new TaskError(
      `${files.place('task.yaml')}: problem: expected the problem statement here or in ${PROBLEM_FILE}, got ${problem === undefined ? 'neither' : 'both'}`,
    );
  const text = stated
    ? await fill(files, PROBLEM_FILE, { values, stated: false })
    : problem === undefined
      ? await foundWords(files, file)
      : fillPlaceholders(problem, values);
  return { problem: null, prompts: [{ name: 'task', weight: 1, text: text.trim() }] };
};

/** What the folder of a script says of the problem: its evaluator's docstring, else README.md, as they stand. */
const foundWords = async (files: TaskFiles, file: TaskFile): Promise<string> => {
  const evaluator = evaluateOf(file);
  const told = docstringOf(await files.text(evaluator.file));
  const words = told === '' && files.has(README) ? await files.text(README) : told;
  const rule = `The score \`${file.scoreName}\`, which \`${evaluator.file}\` computes from the program, is to ${file.direction}.`;
  return `${words.trim() || 'Find a better program.'}\n\n${rule}`;
};

const README = 'README.md';

type Statement = Pick<Task, 'prompts' | 'paperParts' | 'partsOf'> & { readonly problem: string | null };

/**
 * Reads the problem statement and the weighted parts, with their placeholders filled. Without problem.md, each part is
 * the whole statement. Throws TaskError with file and line.
 */
export const readStatement = async (
  files: TaskFiles,
  file: TaskFile,
  { scoring, partsOf }: { readonly scoring: TaskChoice['scoring']; readonly partsOf: Paper | undefined },
): Promise<Statement> => {
  const values = placeholderValues(file, files.id, scoring);
  const stated = files.has(PROBLEM_FILE);
  if (file.prompts.length === 0) return wholeStatement(files, file, values);
  const problem = stated ? withOwn(await fill(files, PROBLEM_FILE, { values, stated }), partsOf === undefined) : null;
  if (problem === '')
    throw new TaskError(`${files.place(PROBLEM_FILE)}:1: expected the problem statement, got an empty file`);
  const own = await readParts(files, file.prompts, { values, stated, key: 'prompts' });
  const paperParts = await readPaperParts(files, file, { values, stated });
  const told = { problem, ...(paperParts && { paperParts }) };
  return partsOf === undefined ? { ...told, prompts: own } : { ...told, prompts: paperParts![partsOf]!.parts, partsOf };
};

const readParts = (
  files: TaskFiles,
  parts: TaskFile['prompts'],
  { key, ...filling }: Filling & { readonly key: string },
): Promise<readonly Part[]> => {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  if (Math.abs(total - 1) > 1e-9)
    throw new TaskError(`${files.place('task.yaml')}: ${key}: expected weights that sum to 1, got ${shown(total)}`);
  return Promise.all(
    parts.map(async ({ name, weight, file }) => ({ name, weight, text: await fill(files, file, filling) })),
  );
};

/** The parts of all papers, so that the task is kept whole, whichever is chosen. Undefined where it has none. */
const readPaperParts = async (
  files: TaskFiles,
  { paperParts }: TaskFile,
  filling: Filling,
): Promise<Task['paperParts'] | undefined> => {
  const all = Object.entries(paperParts) as [Paper, NonNullable<TaskFile['paperParts'][Paper]>][];
  if (all.length === 0) return undefined;
  return Object.fromEntries(
    await Promise.all(
      all.map(async ([paper, { place, parts }]): Promise<[Paper, PaperParts]> => [
        paper,
        { place, parts: await readParts(files, parts, { ...filling, key: `paperParts.${paper}` }) },
      ]),
    ),
  );
};
