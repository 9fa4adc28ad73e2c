// The cheats that a check tries: common ones of tasks/cheats, expanded by their variants and filled with the task's
// names, and the task's own (tasks/cheats/README.md).
import { join } from 'node:path';
import type { Evaluation } from '../../evolution/scoring/evaluation.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { Json } from '../../evolution/types.ts';
import type { CheatKind } from './findings.ts';
import { FixtureError, listFixtures, readFixture } from './fixtures.ts';

/** One end that a cheat may have. `honest` stands for the honest score, a number for that score. */
export type Expected = {
  readonly outcome: Evaluation['outcome'] | 'honest';
  readonly executions: readonly string[];
  readonly score: number | null;
};

export type Cheat = {
  readonly kind: CheatKind;
  /** `kind/file`, followed by the name of the variant. */
  readonly name: string;
  readonly what: string;
  readonly code: string;
  /** Empty where any end is allowed but a score better than the initial program's. */
  readonly expected: readonly Expected[];
};

const OUTCOMES: readonly string[] = ['no_solution', 'invalid', 'valid', 'honest'];

/** The ends that a cheat may have, read from a line such as `no_solution memory or honest`. */
export const parseExpected = (text: string, file: string): readonly Expected[] =>
  text.split(' or ').map((part) => {
    const [outcome = '', ...rest] = part.trim().split(/\s+/);
    if (!OUTCOMES.includes(outcome))
      throw new FixtureError(
        `${file}: # expects: expected one of ${OUTCOMES.join(', ')}, got ${JSON.stringify(outcome)}`,
      );
    const score = outcome === 'valid' && rest.length === 1 ? Number(rest[0]) : null;
    if (score !== null && !Number.isFinite(score))
      throw new FixtureError(`${file}: # expects: expected a score after valid, got ${JSON.stringify(rest[0])}`);
    return { outcome: outcome as Expected['outcome'], executions: outcome === 'no_solution' ? rest : [], score };
  });

/** A comment of Python, or of a language with `//`. */
const WHAT = /^(?:#|\/\/) (.+)/;
const EXPECTS = /^(?:#|\/\/) expects: (.*)$/m;
const VARIANT = /^# variant ([\w.-]+): (.*)$/gm;

/** One cheat, or one for each of its `# variant name: expression -> expected` lines. */
export const expand = (kind: CheatKind, file: string, source: string): readonly Cheat[] => {
  const stem = file.replace(/\.\w+$/, '');
  const what = WHAT.exec(source)?.[1];
  if (what === undefined) throw new FixtureError(`${file}: expected a first line "# what it does"`);
  const all = EXPECTS.exec(source)?.[1];
  const common = all === undefined ? [] : parseExpected(all, file);
  const variants = [...source.matchAll(VARIANT)];
  if (variants.length === 0) return [{ kind, name: `${kind}/${stem}`, what, code: source, expected: common }];
  const body = source.replaceAll(/^# variant .*\n/gm, '');
  return variants.map(([, name, text = '']) => {
    const at = text.lastIndexOf(' -> ');
    const [expression, expects] = at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 4)];
    return {
      kind,
      name: `${kind}/${stem} ${name}`,
      what: `${what} (${name})`,
      code: body.replaceAll('__VARIANT__', () => expression.trim()),
      expected: expects === undefined ? common : parseExpected(expects, file),
    };
  });
};

/** A cheat of a task's own is in the language of its programs. */
const PROGRAM = /\.(?!md$|json$)\w+$/;

const folderOf = (kind: CheatKind, root: string, taskFolder: string): string =>
  kind === 'own' ? join(taskFolder, 'fixtures', 'cheats') : join(root, 'cheats', kind);

/**
 * The kinds of cheats that a task is given. The common ones are in Python, and meet the evaluator of a task in another
 * language all the same, but where it runs the initial program beside them.
 */
export const kindsFor = ({
  kind,
  timed = false,
  world,
}: Pick<Task, 'kind'> & Partial<Pick<Task, 'timed' | 'world'>>): readonly CheatKind[] =>
  kind === 'solution'
    ? ['solution', 'containment', 'own']
    : timed && world?.language !== undefined
      ? ['own']
      : ['function', 'containment', 'own'];

export const readCheats = async (
  kinds: readonly CheatKind[],
  root: string,
  taskFolder: string,
): Promise<readonly Cheat[]> => {
  const all = await Promise.all(
    kinds.map(async (kind) => {
      const folder = folderOf(kind, root, taskFolder);
      const within = kind === 'own' ? taskFolder : root;
      const files = listFixtures(folder, within).filter((file) => PROGRAM.test(file));
      return files.flatMap((file) => expand(kind, file, readFixture(join(folder, file), within)));
    }),
  );
  return all.flat(2);
};

/** A JSON value as a Python literal. */
export const literal = (value: Json): string => {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number' || typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${literal(item as Json)}`)
    .join(', ')}}`;
};

/**
 * The honest program on which a cheat builds: for a `solution` task one that hands back the honest solution, for a
 * `function` task the initial program.
 */
const honestProgram = (task: Task, honest: Json | null): string =>
  task.kind === 'function' ? task.initialProgram : `def ${task.entry}(instance):\n    return ${literal(honest)}\n`;

/** The source with its tokens replaced: __ENTRY__, __HONEST__, __PROGRAM__. */
export const fill = (code: string, task: Task, honest: Json | null): string =>
  code
    .replaceAll(/^__PROGRAM__$/gm, () => honestProgram(task, honest))
    .replaceAll('__HONEST__', () => literal(honest))
    .replaceAll('__ENTRY__', () => task.entry);

/** Draws a few, the same ones for the same seed, and keeps their order. */
export const drawn = <T>(
  all: readonly T[],
  { count, seed }: { readonly count: number; readonly seed: number },
): readonly T[] => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const keyed = all
    .map((item, index) => ({ item, index, key: next() }))
    .sort((a, b) => a.key - b.key)
    .slice(0, count);
  return keyed.sort((a, b) => a.index - b.index).map(({ item }) => item);
};
