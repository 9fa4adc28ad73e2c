// Makes a task of a person's own files, an evaluator and a program: a task.yaml beside them, with what comments at the
// evaluator's head, flags and one question say.
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isMap, isSeq, parseDocument, stringify } from 'yaml';
import { GIVEN_BYTES, GivenFileError, listGiven, readGiven, readGivenData } from '../../activities/given-file.ts';
import { hasBlock, isMade } from '../../activities/task/script.ts';
import { folderProblem } from '../../activities/task/task-files.ts';
import { languageKey, LANGUAGE_NAMES, LANGUAGES } from '../../evolution/task/languages.ts';
import { writeInside } from '../../deploy/host/files.ts';
import { UsageError } from '../connect/errors.ts';

/** What flags say; comments at the evaluator's head say the same as `# direction: minimise`. */
export type Said = {
  readonly direction?: string | undefined;
  readonly score?: string | undefined;
  readonly seconds?: string | undefined;
  /** Globs of the files of a repository that may change. */
  readonly change?: readonly string[] | undefined;
};
type Found = {
  readonly folder: string;
  readonly evaluator: string;
  /** Undefined where the program is a part of a repository. */
  readonly program: string | undefined;
  readonly change?: readonly string[];
};

export const EVALUATORS: readonly string[] = [
  'evaluator.py',
  'evaluate.py',
  'eval.py',
  'evaluation.py',
  'evaluator/evaluator.py',
];
const PROGRAM = /^(?:init(?:ial)?[\w-]*|program|candidate|solution)\.\w+$|^initial\/main\.py$|^src\/init_program\.py$/;
/** A file that marks what may change scores that part by what it prints. */
const MARKED = /^\s*#\s*EVOLVE-BLOCK-START/m;
const SCORE_NAME = /^[a-z][a-z0-9_]*$/;
const DEFAULT_SECONDS = 300;
const TASK = 'task.yaml';

/**
 * The folder that the named files, or the named folder, are in, as a task. `larger` asks whether a larger score is
 * better; null where nobody can be asked. Throws UsageError, with nothing written.
 */
export const initTask = async (
  named: readonly string[],
  said: Said,
  larger: (() => Promise<boolean>) | null,
): Promise<{ readonly folder: string; readonly made: boolean; readonly what?: string }> => {
  const found = foundIn(
    named.map((path) => resolve(path)),
    said.change,
  );
  if (typeof found === 'string') {
    agree(found, defined(said));
    return { folder: found, made: false };
  }
  const { folder, evaluator, program, change } = found;
  const source = given(join(folder, evaluator), () =>
    readGiven(join(folder, evaluator), { maxBytes: GIVEN_BYTES.task, within: folder }),
  );
  const whole = { ...headOf(source), ...defined(said) };
  const score = whole.score ?? (/\bcombined_score\b/.test(source) ? 'combined_score' : undefined);
  const direction = directionOf(whole.direction) ?? (score === 'combined_score' ? 'maximise' : null);
  if (direction === null && larger === null)
    throw new UsageError(
      `--direction: expected maximise or minimise, as a flag or as a line "# direction: maximise" at the head of ${evaluator}, and nobody is at a terminal to be asked`,
    );
  const task = {
    title: basename(folder),
    kind: 'script',
    ...(program && languageKey(program)),
    direction: direction ?? ((await larger!()) ? 'maximise' : 'minimise'),
    ...(score !== undefined && SCORE_NAME.test(score) ? { scoreName: score } : {}),
    evaluate: { file: evaluator, ...(program && { program }), ...(score === undefined ? {} : { score }) },
    limits: { cpuSeconds: secondsOf(whole.seconds), memoryMiB: 2048 },
    ...besides(folder),
    ...(change && { change, ...testsOf(folder) }),
  };
  writeInside(
    folder,
    TASK,
    `# Made by evolve of ${evaluator} and ${change?.join(', ') ?? program}; docs/tasks.md explains each key.\n${stringify(task)}`,
  );
  const tests = 'stages' in task ? `, and ${PYTEST} is run before it is scored` : '';
  return { folder, made: true, ...(change && { what: `May change: ${change.join(', ')}${tests}.` }) };
};

const PYTEST = 'pytest -q';
const isTest = (path: string): boolean => /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/.test(path);

/** Tests of Python are the gate; pytest is installed where nothing else says what is. */
const testsOf = (folder: string): object =>
  !filesOf(folder).some(isTest)
    ? {}
    : {
        stages: [{ name: 'tests', command: PYTEST }],
        ...('packages' in besides(folder) ? {} : { packages: ['pytest'] }),
      };

/** The keys of task.yaml that say the same as a flag. */
const SAID_IN = {
  change: ['change'],
  direction: ['direction'],
  score: ['evaluate', 'score'],
  seconds: ['limits', 'cpuSeconds'],
} as const;

/** A flag may repeat what task.yaml says, and say which number is the score where it names none. */
const agree = (folder: string, said: Said): void => {
  if (Object.keys(said).length === 0) return;
  const path = join(folder, TASK);
  const task = parseDocument(
    given(path, () => readGiven(path, { maxBytes: GIVEN_BYTES.settings, within: folder })),
    { uniqueKeys: false },
  );
  // The reader of the task says what is wrong with such a file.
  if (task.errors.length > 0 || !isMap(task.contents)) return;
  const direction = directionOf(said.direction) ?? undefined;
  for (const [flag, value] of Object.entries({ ...said, ...defined({ direction }) })) {
    const found: unknown = task.getIn(SAID_IN[flag as keyof Said]);
    const there: unknown = isSeq(found) ? found.toJSON() : found;
    if (value === undefined || String(there) === String(value)) continue;
    if (flag !== 'score' || there !== undefined)
      throw new UsageError(`--${flag}: ${path} says ${there === undefined ? 'nothing of it' : there}: change it there`);
    task.setIn(SAID_IN.score, value);
    if (SCORE_NAME.test(String(value))) task.set('scoreName', value);
    writeInside(folder, TASK, String(task));
  }
};

/** A folder that is a task already, or the two files of one that is to be. */
const foundIn = (paths: readonly string[], change: Said['change']): string | Found => {
  const [first, second, ...more] = paths;
  if (first === undefined || more.length > 0)
    throw new UsageError(`expected an evaluator and a program, or a folder, got ${paths.length} paths`);
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) throw new UsageError(`expected a file or a folder, there is no ${missing}`);
  if (second === undefined && statSync(first).isDirectory()) return inFolder(first, null, change);
  if (second === undefined) return inFolder(dirname(first), basename(first), change);
  if (change !== undefined) throw new UsageError('--change: expected a folder, or its evaluator alone, got two files');
  const [evaluator, program] =
    /eval|judge|score/i.test(basename(second)) && !/eval|judge|score/i.test(basename(first))
      ? [second, first]
      : [first, second];
  const folder = commonFolder(dirname(evaluator), dirname(program));
  const [ours, theirs] = [relative(folder, evaluator), relative(folder, program)];
  if (!existsSync(join(folder, TASK))) return { folder, evaluator: ours, program: theirs };
  const text = readGiven(join(folder, TASK), { maxBytes: GIVEN_BYTES.settings, within: folder });
  const other = [ours, theirs].find((path) => !text.includes(path) && !['evaluator.py', 'initial.py'].includes(path));
  if (other !== undefined)
    throw new UsageError(`${join(folder, TASK)} is there and does not name ${other}: change it there, or remove it`);
  return folder;
};

const inFolder = (folder: string, evaluatorFile: string | null, change: Said['change']): string | Found => {
  if (existsSync(join(folder, TASK))) return folder;
  const problem = folderProblem(folder);
  const text = (name: string): string => readGiven(join(folder, name), { maxBytes: GIVEN_BYTES.task, within: folder });
  const files = filesOf(folder);
  const evaluator = evaluatorFile ?? EVALUATORS.find((name) => files.includes(name));
  if (evaluator === undefined) throw new UsageError(`${problem}; or put an evaluator.py and an initial.py there`);
  if (change !== undefined) return { folder, evaluator, program: undefined, change };
  const others = files.filter((name) => name !== evaluator);
  const called = others.filter((name) => PROGRAM.test(name));
  const python = others.filter((name) => /^[\w-]+\.py$/.test(name));
  const ownScore = evaluatorFile !== null && python.length === 0 && MARKED.test(given(folder, () => text(evaluator)));
  const program = called[0] ?? (ownScore ? evaluator : python.length === 1 ? python[0] : undefined);
  const marked = program === undefined ? others.filter((name) => isMarked(folder, name)) : [];
  if (marked.length > 0) return { folder, evaluator, program: undefined, change: marked };
  if (program === undefined)
    throw new UsageError(
      `${folder}: which file is the program to begin with${python.length === 0 ? '' : ` (${python.slice(0, 5).join(', ')})`}? Name both: evolve run ${evaluator} <program>; or name the files that may change: --change <glob>${python.length === 0 ? `; or mark what may change in ${evaluator} with EVOLVE-BLOCK-START and EVOLVE-BLOCK-END, so that the rest of it scores` : ''}`,
    );
  return { folder, evaluator, program: program === 'initial/main.py' ? 'initial.py' : program };
};

/** Files that mark what may change are a part of a repository; tests and documents may speak of such marks. */
const isMarked = (folder: string, name: string): boolean => {
  if (isTest(name) || LANGUAGE_NAMES.every((one) => one === 'text' || !name.endsWith(`.${LANGUAGES[one].extension}`)))
    return false;
  const path = join(folder, name);
  return hasBlock(given(path, () => readGivenData(path, { maxBytes: GIVEN_BYTES.records, within: folder })));
};

const filesOf = (folder: string): readonly string[] => {
  try {
    return listGiven(folder, folder, { skip: isMade });
  } catch (error) {
    if (!(error instanceof GivenFileError)) throw error;
    throw new UsageError(
      `${folder}: ${error.message}: put the evaluator, the program and what they read into a folder of their own`,
    );
  }
};

const commonFolder = (a: string, b: string): string =>
  `${b}${sep}`.startsWith(a.endsWith(sep) ? a : `${a}${sep}`) ? a : commonFolder(dirname(a), b);

const given = <T>(place: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw error instanceof GivenFileError ? new UsageError(`${place}: ${error.message}`) : error;
  }
};

const defined = (said: Said): Said =>
  Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));

/** The lines `# key: value` before the first line of code. */
const headOf = (source: string): Said => {
  const lines = source.split('\n');
  const end = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#'));
  const pairs = lines.slice(0, end < 0 ? undefined : end).flatMap((line) => {
    const [, key, value] = /^#\s*(direction|score|seconds)\s*:\s*(\S+)\s*$/i.exec(line) ?? [];
    return key === undefined ? [] : [[key.toLowerCase(), value!] as const];
  });
  return Object.fromEntries(pairs);
};

const directionOf = (text: string | undefined): 'maximise' | 'minimise' | null => {
  if (text === undefined) return null;
  const found = /^max/i.test(text) ? 'maximise' : /^min/i.test(text) ? 'minimise' : null;
  if (found === null) throw new UsageError(`--direction: expected maximise or minimise, got ${text}`);
  return found;
};

const secondsOf = (text = String(DEFAULT_SECONDS)): number => {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 86_400)) throw new UsageError(`--seconds: expected seconds of CPU time, got ${text}`);
  return seconds;
};

/** Files that are too large to be kept with a run. */
export const largeFiles = (folder: string): readonly string[] =>
  filesOf(folder).filter(
    (path) => (statSync(join(folder, path), { throwIfNoEntry: false })?.size ?? 0) > GIVEN_BYTES.task,
  );

/** Packages that the folder names, and its large files. */
const besides = (folder: string): object => {
  const packages = ['requirements.txt', 'pyproject.toml'].find((name) => existsSync(join(folder, name)));
  const large = largeFiles(folder);
  return { ...(packages === undefined ? {} : { packages }), ...(large.length === 0 ? {} : { dataFiles: large }) };
};
