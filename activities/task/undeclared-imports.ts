// The modules that the sources of a task import at their top, so that a package which its image lacks is named before
// anything starts.
import { dirname, join } from 'node:path';
import { splitFiles } from '../../evolution/files/program-files.ts';
import type { Task } from '../../evolution/task/task.ts';

/** At the left edge only: an import in a function, or under a `try`, may fail and be caught. */
const IMPORT = /^(?:from\s+([A-Za-z_][\w.]*)\s+import\b|import\s+([A-Za-z_][^#;]*))/;

type Import = { readonly file: string; readonly line: number; readonly module: string };

/** The first names of what a Python source imports. */
export const importsOf = (file: string, source: string): readonly Import[] =>
  withoutTexts(source)
    .split('\n')
    .flatMap((text, index) => {
      const [, from, list] = IMPORT.exec(text) ?? [];
      const names = from === undefined ? (list ?? '').split(',') : [from];
      return names
        .map((name) => /^\s*(\w+)/.exec(name)?.[1])
        .filter((module) => module !== undefined)
        .map((module) => ({ file, line: index + 1, module }));
    });

/** Texts of several lines become empty ones. */
const withoutTexts = (source: string): string =>
  source.replaceAll(/("""|''')[\s\S]*?\1/g, (text) => text.replaceAll(/[^\n]/g, ''));

/** Packages whose modules have another name. */
export const PACKAGE_OF: { readonly [module: string]: string } = {
  bs4: 'beautifulsoup4',
  cv2: 'opencv-python-headless',
  dateutil: 'python-dateutil',
  fitz: 'pymupdf',
  PIL: 'pillow',
  skimage: 'scikit-image',
  sklearn: 'scikit-learn',
  yaml: 'pyyaml',
};

/** Modules that the sandbox itself gives to evaluators. */
const OURS = ['candidate', 'openevolve', 'shinka', 'skydiscover'];

const packagesOf = (modules: readonly string[]): readonly string[] => [
  ...new Set(modules.map((module) => PACKAGE_OF[module] ?? module)),
];

/** What to do so that the image has the packages of these modules. */
export const declared = (modules: readonly string[]): string => {
  const packages = packagesOf(modules);
  return `add "packages: [${packages.join(', ')}]" to task.yaml, or in Python @d.evaluate(packages=${JSON.stringify(packages)})`;
};

type Sources = Pick<Task, 'script' | 'initialProgram' | 'evaluatorSource' | 'library' | 'harness' | 'world'>;
type Source = { readonly name: string; readonly text: string };

/** What scores: the evaluator, or a person's own with the files beside it that it imports. */
const scoring = ({ script, evaluatorSource, harness = '' }: Sources): readonly Source[] => {
  if (script === undefined)
    return [
      { name: 'evaluator.py', text: evaluatorSource },
      { name: 'harness.py', text: harness },
    ];
  const found = new Map<string, string>();
  const follow = (name: string): void => {
    const text = found.has(name) ? undefined : script.files[name];
    if (text === undefined) return;
    found.set(name, text);
    for (const { module } of importsOf(name, text)) follow(join(dirname(name), `${module}.py`));
  };
  follow(script.file);
  return [...found].map(([name, text]) => ({ name, text }));
};

/**
 * A sentence with the line to add, where the evaluator or the program imports what is not there; null where nothing is
 * missing. `here`: modules of the image, and names beside the task.
 */
export const undeclaredProblem = (task: Sources, here: ReadonlySet<string>): string | null => {
  const { script, initialProgram, library = [], world } = task;
  const python = world?.language === undefined && (script === undefined || script.program.endsWith('.py'));
  const programs = splitFiles(initialProgram) ?? [{ name: script?.program ?? 'initial.py', text: initialProgram }];
  const sources = [...scoring(task), ...(python ? programs.filter(({ name }) => name.endsWith('.py')) : [])];
  const beside = [...programs.map(({ name }) => name), ...Object.keys(script?.files ?? {})].flatMap((path) =>
    path.split(/[./]/),
  );
  const own = new Set([...OURS, ...library.map(({ name }) => name), ...beside]);
  const missing = sources
    .flatMap(({ name, text }) => importsOf(name, text))
    .filter(({ module }) => !here.has(module) && !own.has(module));
  if (missing.length === 0) return null;
  const [{ file, line, module }] = missing as [Import];
  const modules = missing.map((one) => one.module);
  const where = world?.lock == null ? declared(modules) : `add ${packagesOf(modules).join(', ')} to its packages`;
  return `${file}:${line}: imports ${module}, which the image of the task's programs does not have: ${where}`;
};
