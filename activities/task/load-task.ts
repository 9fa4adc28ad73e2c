// Reads and checks a task: the files of a folder, or those that were kept with a run.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { inLanguage } from '../../evolution/edits/language.ts';
import { joinFiles, MAX_PROGRAM_FILES, splitFiles } from '../../evolution/files/program-files.ts';
import { LANGUAGES, toolchainOf } from '../../evolution/task/languages.ts';
import { PATH_EXPECTED } from '../../evolution/task/task-paths.ts';
import type { Task, TaskScript } from '../../evolution/task/task.ts';
import { WHOLE } from '../../evolution/scoring/task-stages.ts';
import { filesSection, readRepository, wrongGlobs } from './repository.ts';
import { readTemplates, readYaml } from './reading.ts';
import { readStatement } from './statement.ts';
import { filesIn, folderProblem, libraryPath, TaskError, type TaskFiles } from './task-files.ts';
import { type TaskFile, taskSchema } from './task-schema.ts';
import { AS_IT_IS, type TaskChoice } from '../../evolution/task/task-choice.ts';
import { sha256 } from '../sha256.ts';
import { chosenOf, initialFile } from './choice.ts';
import { hasBlock, marked, readScript, SCRIPT_HARNESS, SCRIPT_SCORER } from './script.ts';
import { choiceIn } from './task-ref.ts';
import { readWorld } from './task-world.ts';
import { canonicalJson } from '../../evolution/canonical-json.ts';

export const TASKS_ROOT = join(import.meta.dirname, '..', '..', 'tasks');

/** Ids of the tasks that can be loaded: the folders that hold a task.yaml. */
export const listTasks = async (root: string = TASKS_ROOT): Promise<readonly string[]> =>
  (await readdir(root, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && existsSync(join(root, entry.name, 'task.yaml')))
    .map((entry) => entry.name)
    .sort();

const checkBlock = (path: string, source: string, sign: string): void => {
  // Blanks in front are those of one line: with those of all lines the time would grow with the square of empty ones.
  const start = source.search(/^[^\S\r\n\u2028\u2029]*(?:#|\/\/|!) EVOLVE-BLOCK-START\s*$/m);
  const end = source.search(/^[^\S\r\n\u2028\u2029]*(?:#|\/\/|!) EVOLVE-BLOCK-END\s*$/m);
  if (start < 0 || end < start)
    throw new TaskError(
      `${path}: expected a line "${sign} EVOLVE-BLOCK-START" and after it "${sign} EVOLVE-BLOCK-END"`,
    );
};

/**
 * The digest of everything that decides a score. What a task does not have is left out, so that a new kind of part
 * leaves the digests of tasks without it as they are.
 */
const digestOf = (
  file: TaskFile,
  { evaluatorSource, library, harness }: Sources,
  { world, script }: { readonly world: Task['world'] | undefined; readonly script: Task['script'] | undefined },
): string => {
  const stages = file.stages.length === 0 ? [] : [file.stages];
  if (script !== undefined)
    return sha256(
      canonicalJson([
        { ...script },
        file.instance,
        file.version,
        file.evaluate?.score ?? null,
        world ?? null,
        ...stages,
      ]),
    );
  const more =
    library.length > 0 || harness !== undefined || Object.keys(file.hidden).length > 0
      ? [library, harness ?? null, file.hidden]
      : [];
  const drawn = file.data === 'drawn' ? ['data drawn'] : [];
  const own = world === undefined ? [] : [world];
  return sha256(canonicalJson([evaluatorSource, file.instance, file.version, ...more, ...drawn, ...own, ...stages]));
};

type Sources = {
  readonly evaluatorSource: string;
  readonly library: NonNullable<Task['library']>;
  readonly harness: string | undefined;
};

const readSources = async (files: TaskFiles, { kind, library }: TaskFile): Promise<Sources> => {
  const harness = files.has('harness.py');
  if (harness && kind === 'solution')
    throw new TaskError(`${files.place('harness.py')}: expected a harness in tasks of kind: function only`);
  if (kind === 'script') return { evaluatorSource: SCRIPT_SCORER, library: [], harness: SCRIPT_HARNESS };
  return {
    evaluatorSource: await files.text('evaluator.py'),
    library: await Promise.all(library.map(async (name) => ({ name, source: await files.text(libraryPath(name)) }))),
    harness: harness ? await files.text('harness.py') : undefined,
  };
};

/** Refuses keys that belong to another kind of task. */
const checkKind = (
  { place }: TaskFiles,
  { kind, entry, evaluate, evaluator, files, change, add, show, starts, language = 'python', image }: TaskFile,
): void => {
  const wrong = (text: string): never => {
    throw new TaskError(`${place('task.yaml')}: ${text}`);
  };
  if (kind === 'function' && entry === undefined && language === 'python')
    wrong('entry: expected the function that the evaluator calls');
  const [own] = Object.entries({ evaluate, evaluator, files, change, add, show }).filter(([, value]) => value);
  if (kind !== 'script' && own !== undefined)
    wrong(`${own[0]}: expected in tasks of kind: script only, got kind: ${kind}`);
  if (change === undefined && (add ?? show) !== undefined)
    wrong(`${add ? 'add' : 'show'}: expected beside change, the files of a repository that may change`);
  if (change !== undefined && Object.keys(starts).length > 0)
    wrong('starts: expected none beside change: the repository as it is is the start');
  if (language === 'text' && kind !== 'script')
    wrong(`language: expected text in tasks of kind: script only, since nothing runs a text, got kind: ${kind}`);
  if (toolchainOf(language)?.packages === null && image === undefined)
    wrong(`language: expected an image that has ${language} (image: ...), since Debian has no package of it`);
};

/** Checks the globs of a repository against its files. */
const checkGlobs = async (files: TaskFiles, file: TaskFile): Promise<void> => {
  if (file.change === undefined) return;
  const wrong = await wrongGlobs(files, file);
  if (wrong.length > 0) readYaml(files.place('task.yaml'), await files.text('task.yaml'), taskSchema, () => wrong);
};

/** Refuses drawn data for programs that nothing calls. */
const checkData = ({ place }: TaskFiles, { data, kind }: TaskFile): void => {
  if (data === 'drawn' && kind !== 'function')
    throw new TaskError(
      `${place('task.yaml')}: data: expected drawn in tasks of kind: function only, got kind: ${kind}`,
    );
};

const readInitial = async (files: TaskFiles, path: string, file: TaskFile): Promise<string> =>
  file.change === undefined
    ? withLanguage(files, path, await initialText(files, path), file)
    : readRepository(files, file);

/** The program with its language in its EVOLVE-BLOCK markers, which a program of kind `script` need not have. */
const withLanguage = (
  files: TaskFiles,
  path: string,
  read: string,
  { kind, language = 'python' }: TaskFile,
): string => {
  const several = splitFiles(read);
  const whole = kind === 'script' && !hasBlock(read);
  if (!whole)
    for (const { name, text } of several ?? [{ name: null, text: read }])
      checkBlock(files.place(name === null ? path : `initial/${name}`), text, LANGUAGES[language].comment);
  return inLanguage(whole && several === null ? marked(path, read, language) : read, language);
};

/** The one file, or the files of the folder `initial` in one text, with main.py first. */
const initialText = async (files: TaskFiles, path: string): Promise<string> => {
  if (!files.has('initial')) return files.text(path);
  const several = files.place('initial');
  if (files.has(path))
    throw new TaskError(`${files.place(path)}: expected this file or the folder ${several}, got both`);
  const names = (await files.below('initial')).filter((name) => name.endsWith('.py')).sort();
  if (!names.includes('main.py'))
    throw new TaskError(`${several}: expected a file main.py, got ${names.join(', ') || 'none'}`);
  if (names.length > MAX_PROGRAM_FILES)
    throw new TaskError(`${several}: expected at most ${MAX_PROGRAM_FILES} files, got ${names.length}`);
  const ordered = ['main.py', ...names.filter((name) => name !== 'main.py')];
  const text = joinFiles(
    await Promise.all(ordered.map(async (name) => ({ name, text: await files.text(`initial/${name}`) }))),
  );
  const wrong = ordered.find((name) => !splitFiles(text)!.some((file) => file.name === name));
  if (wrong !== undefined)
    throw new TaskError(`${files.place(`initial/${wrong}`)}: expected a name of letters, digits and _ in every part`);
  return text;
};

/** The name of the folder and its content must be one task. */
const checkId = ({ id, place }: TaskFiles, file: TaskFile): void => {
  if (file.id !== undefined && file.id !== id)
    throw new TaskError(
      `${place('task.yaml')}: id: expected the name of the folder in kebab-case, ${id}, got ${file.id}`,
    );
};

/**
 * The folder of a task that is named by its id or by an absolute path. Throws TaskError: what the folder lacks, or
 * the known ids.
 */
export const folderOf = async (named: string, root: string = TASKS_ROOT): Promise<string> => {
  if (isAbsolute(named)) {
    const problem = folderProblem(named);
    if (problem !== null) throw new TaskError(problem);
    return named;
  }
  if (named.includes('/'))
    throw new TaskError(`expected the id of a task, or the absolute path of its folder, got ${named}`);
  const known = await listTasks(root);
  if (!known.includes(named))
    throw new TaskError(
      `unknown task ${JSON.stringify(named)}: expected the path of a folder with a task.yaml, or one of ${known.join(', ')}`,
    );
  return join(root, named);
};

/**
 * The task that an id, a folder's absolute path or a reference (`taskRef`) names. Throws TaskError: file, line and key
 * of what is wrong, or the known ids when there is no such task.
 */
export const loadTask = async (ref: string, root: string = TASKS_ROOT): Promise<Task> => {
  const { named, choice } = choiceIn(ref);
  return readTask(await folderOf(named, root), root, choice);
};

/** The task of a folder, wherever it is; `root` holds the shared library. */
export const readTask = (folder: string, root: string = TASKS_ROOT, choice: TaskChoice = AS_IT_IS): Promise<Task> =>
  taskOf(filesIn(folder, root), choice);

/** `choice` is what a run chose of it. Throws ChoiceError where the task does not have that. */
export const taskOf = async (files: TaskFiles, choice: TaskChoice = AS_IT_IS): Promise<Task> => {
  const { id } = files;
  const whole = readYaml(files.place('task.yaml'), await files.text('task.yaml'), taskSchema, (read) => [
    ...wrongPaths(files, read),
    ...wrongStages(read),
  ]);
  checkId(files, whole);
  checkKind(files, whole);
  await checkGlobs(files, whole);
  const chosen = chosenOf(files, whole, choice);
  const { file } = chosen;
  checkData(files, file);
  const [own, starts, sources, stated, world] = await Promise.all([
    readInitial(files, initialFile(file), file),
    readStarts(files, file),
    readSources(files, file),
    readStatement(files, file, { scoring: choice.scoring, partsOf: chosen.partsOf }),
    readWorld(files, file),
  ]);
  const templates = await readTemplates(files, file);
  const script = file.kind === 'script' ? await readScript(files, file, own) : undefined;
  const statement = file.change === undefined ? stated : await withFiles(stated, files, file, { own, script: script! });
  const { title = id, version, kind, direction, scoreName, picture, hidden, smoke, shaping, bound } = file;
  return {
    id,
    title,
    version,
    kind,
    direction,
    entry: file.entry ?? script?.entry ?? 'construct',
    scoreName,
    picture,
    ...statement,
    initialProgram: choice.initial === null ? own : starts.get(chosen.initialPath)!,
    evaluatorSource: sources.evaluatorSource,
    papers: file.papers,
    features: file.features,
    timed: file.timed,
    suspectGain: file.suspectGain,
    library: sources.library,
    references: file.references.map(present) as Task['references'],
    hidden: (script ? { ...hidden, evaluate: present({ score: file.evaluate?.score }) } : hidden) as Task['instance'],
    smoke: smoke as Task['instance'],
    instance: file.instance as Task['instance'],
    ...(present({
      templates,
      bound,
      ...metricsOf(file),
      initial: chosen.initial && present(chosen.initial),
      chosen: chosen.chosen,
      starts: listed(file.starts, ({ file: _file, ...start }) => present(start)),
      instances: listed(file.instances, ({ what, table, data }) =>
        present({ what, fixed: (data ?? whole.data) === 'fixed', table }),
      ),
      harness: sources.harness,
      script,
      preload: file.preload.length > 0 ? file.preload : undefined,
      stages: file.stages.length > 0 ? file.stages : undefined,
      needs: file.needs && present(file.needs),
      world,
      shaping: shaping ?? undefined,
      data: file.data === 'drawn' ? file.data : undefined,
      printed: file.printed,
    }) as Partial<Task>),
    limits: chosen.limits,
    evaluatorDigest: digestOf(file, sources, { world, script }),
  };
};

/** Adds what prompts say of a repository's files behind the problem. */
const withFiles = async (
  stated: Awaited<ReturnType<typeof readStatement>>,
  files: TaskFiles,
  file: TaskFile,
  { own, script }: { readonly own: string; readonly script: TaskScript },
): Promise<typeof stated> => {
  const names = { own: splitFiles(own)!.map(({ name }) => name), others: Object.keys(script.files).toSorted() };
  const section = await filesSection(files, file, names);
  return stated.problem === null
    ? { ...stated, prompts: stated.prompts.map((part) => ({ ...part, text: `${part.text}\n\n${section}` })) }
    : { ...stated, problem: `${stated.problem}\n\n${section}` };
};

/** All starts are read, whichever is chosen: so a task is kept whole, and its digest says nothing of the choice. */
const readStarts = async (files: TaskFiles, file: TaskFile): Promise<ReadonlyMap<string, string>> =>
  new Map(
    await Promise.all(
      [...new Set(Object.values(file.starts).map((start) => start.file))].map(
        async (path) => [path, withLanguage(files, path, await files.text(path), file)] as const,
      ),
    ),
  );

const listed = <T>(named: { readonly [name: string]: T }, tell: (value: T) => object): readonly object[] | undefined =>
  Object.keys(named).length === 0
    ? undefined
    : Object.entries(named).map(([name, value]) => ({ name, ...tell(value) }));

/** What metrics mean, and which of them prompts of one frame alone show. */
const metricsOf = ({ metrics }: TaskFile): Pick<Task, 'metrics' | 'frames'> => {
  const all = Object.entries(metrics).map(
    ([name, of]) => [name, ...(typeof of === 'string' ? [of] : Object.entries(of)[0]!.toReversed())] as const,
  );
  if (all.length === 0) return {};
  return {
    metrics: Object.fromEntries(all.map(([name, meaning]) => [name, meaning!])),
    frames: Object.fromEntries(all.flatMap(([name, , frame]) => (frame === undefined ? [] : [[name, frame]]))),
  };
};

/** A stage has a name of its own, and a threshold that is not easier than that of an earlier stage on the same scale. */
const wrongStages = ({ stages, kind, direction }: TaskFile) =>
  stages.flatMap(({ name, threshold, ...stage }, index) => {
    const at = (key: string, expected: string) => [['stages', index, key], expected] as const;
    const before = stages.slice(0, index);
    const comparable = before.findLast((other) => other.threshold !== undefined && scaleOf(other) === scaleOf(stage));
    const lower =
      threshold !== undefined &&
      comparable !== undefined &&
      (direction === 'maximise' ? threshold < comparable.threshold! : threshold > comparable.threshold!);
    return [
      ...(name === WHOLE || before.some((other) => other.name === name)
        ? [at('name', `expected a name of its own, and not ${WHOLE}, which comes last by itself, got ${name}`)]
        : []),
      ...(['function', 'score', 'command'] as const).flatMap((key) =>
        kind !== 'script' && stage[key] !== undefined ? [at(key, 'expected in tasks of kind: script only')] : [],
      ),
      ...(stage.command !== undefined && (stage.function ?? stage.score ?? threshold) !== undefined
        ? [at('command', 'expected no function, score or threshold beside it: a command ends with 0 or fails')]
        : []),
      ...(lower
        ? [
            at(
              'threshold',
              `expected no ${direction === 'maximise' ? 'less' : 'more'} than stage ${comparable.name} asks for, ${comparable.threshold}, got ${threshold}`,
            ),
          ]
        : []),
    ];
  });

/** What decides the scale of a stage's score. */
const scaleOf = ({ instance, hidden, score, function: called }: Omit<TaskFile['stages'][number], 'name'>): string =>
  canonicalJson([instance, hidden, score ?? null, called ?? null]);

/** The files that task.yaml names must be the task's own. */
const wrongPaths = ({ allows }: TaskFiles, { prompts, paperParts, starts, evaluate, dataFiles, downloads }: TaskFile) =>
  [
    [['evaluate', 'file'], evaluate?.file] as const,
    [['evaluate', 'program'], evaluate?.program] as const,
    ...Object.entries(starts).map(([name, { file }]) => [['starts', name, 'file'], file] as const),
    ...prompts.map(({ file }, index) => [['prompts', index, 'file'], file] as const),
    ...Object.entries(paperParts).flatMap(([paper, { parts }]) =>
      parts.map(({ file }, index) => [['paperParts', paper, 'parts', index, 'file'], file] as const),
    ),
    ...dataFiles.map((file, index) => [['dataFiles', index], file] as const),
    ...downloads.map(({ file }, index) => [['downloads', index, 'file'], file] as const),
  ].flatMap(([path, file]) =>
    file === undefined || allows(file)
      ? []
      : [[path, `expected ${PATH_EXPECTED}, got ${JSON.stringify(file.slice(0, 100))}`] as const],
  );

/** Leaves out the keys that have no value. */
const present = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined));
