// Checks what models read of a task: its problem statement, the parts beside it, and the program with which it begins.
import { join } from 'node:path';
import { didYouMean } from '../../evolution/config/nearest.ts';
import { isPython } from '../../evolution/edits/language.ts';
import { splitFiles } from '../../evolution/files/program-files.ts';
import { TEMPLATE_NAMES } from '../../evolution/prompts/parts/template.ts';
import type { Task } from '../../evolution/task/task.ts';
import { AS_IT_IS } from '../../evolution/task/task-choice.ts';
import { readTask } from '../task/load-task.ts';
import { byHandProblem, limitsByHand } from '../task/statement.ts';
import type { Context } from './findings.ts';
import { listFixtures, readFixture } from './fixtures.ts';

type Outside = { readonly file: string; readonly line: number; readonly text: string };

const START = /^\s*# EVOLVE-BLOCK-START\s*$/;
const END = /^\s*# EVOLVE-BLOCK-END\s*$/;
/** At the left edge only: an import in a closed function belongs to that function. */
const IMPORT = /^(?:import\b(?!\s*\()|from\s+\S+\s+import\b)/;

/**
 * Imports of a program at the top level that stand outside its open block. A model that needs another module writes the
 * import beside them, where an edit is refused, and the program dies of a NameError. `file` names a program of one
 * file. In other languages the code that speaks to us has imports of its own, and a compiler says what lacks.
 */
export const importsOutside = (program: string, file: string): readonly Outside[] =>
  (isPython(program) ? (splitFiles(program) ?? [{ name: file, text: program }]) : []).flatMap(({ name, text }) => {
    let open = false;
    return text.split(/\r?\n/).flatMap((line, index) => {
      if (START.test(line)) open = true;
      else if (END.test(line)) open = false;
      return !open && IMPORT.test(line) ? [{ file: name, line: index + 1, text: line.trim() }] : [];
    });
  });

const NO_IMPORTS = 'expected imports inside the EVOLVE-BLOCK, where a model can add one';

export const outsideProblem = ({ file, line, text }: Outside): string =>
  `${file}:${line}: ${NO_IMPORTS}, got ${JSON.stringify(text.slice(0, 100))} outside`;

const checkImports = async ({ folder, note, root, task }: Context): Promise<void> => {
  const own = importsOutside(task.initialProgram, 'initial.py');
  const ofStarts = await Promise.all(
    (task.starts ?? []).map(async ({ name }) => {
      const { initialProgram } = await readTask(folder, root, { ...AS_IT_IS, initial: name });
      return importsOutside(initialProgram, `start ${name}`);
    }),
  );
  const outside = [...own, ...ofStarts.flat()];
  note('initial: imports', outside.length === 0, outside.map(outsideProblem).join('; ') || 'inside the open block');
};

const TEMPLATES = TEMPLATE_NAMES.map((name) => `prompts/${name}.md`);

/** Costs nothing, so that every check looks. */
export const checkPromptFiles = ({ folder, note }: Context): void => {
  const named = readFixture(join(folder, 'task.yaml'), folder);
  const unused = listFixtures(join(folder, 'prompts'), folder)
    .map((name) => `prompts/${name}`)
    .filter((file) => !TEMPLATES.includes(file) && !named.includes(file));
  note(
    'prompts: files',
    unused.length === 0,
    unused.map((file) => `${file} is used by nothing.${didYouMean(file, TEMPLATES)}`).join('; ') || 'all are used',
  );
};

/** A task with a problem statement that names limits by hand is refused when it is read. */
const checkParts = ({ folder, note, task }: Context): void => {
  const open = [task.problem ?? '', ...task.prompts.map(({ text }) => text)].flatMap(
    (text) => /\{[A-Za-z_]\w*\}/.exec(text)?.[0] ?? [],
  );
  note('texts: placeholders', true, open.length === 0 ? 'all have values' : `${open.join(', ')} stay as they are`);
  if (task.problem != null)
    return note('file: problem.md', true, 'states the problem; the prompts are advice beside it');
  note('file: problem.md', true, 'none: each prompt is a whole statement of the problem (docs/tasks.md)');
  const parts = listFixtures(join(folder, 'prompts'), folder)
    .map((name) => `prompts/${name}`)
    .filter((file) => file.endsWith('.md') && !TEMPLATES.includes(file))
    .sort();
  const byHand = parts.flatMap((part) =>
    limitsByHand(readFixture(join(folder, part), folder)).map((found) => `${part}:${byHandProblem(found)}`),
  );
  note('prompts: limits', byHand.length === 0, byHand.join('; ') || 'none is written by hand');
};

/** Metrics that an evaluator returned and task.yaml does not explain; numbers at the end of names may differ. */
export const unexplained = (
  { metrics = {} }: Pick<Task, 'metrics'>,
  returned: readonly string[],
): readonly string[] => {
  const family = (name: string): string => name.replace(/\d+$/, '#');
  const known = new Set(Object.keys(metrics).map(family));
  return returned.filter((name) => !known.has(family(name)));
};

export const checkTexts = async (context: Context): Promise<void> => {
  checkParts(context);
  await checkImports(context);
};
