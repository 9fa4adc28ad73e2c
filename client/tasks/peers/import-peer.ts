// Makes a task of another system's folder, in that folder: a task.yaml, a run.yaml, and the few names that its evaluator
// imports of that system's package. A file that is there already stays as it is.
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import { GIVEN_BYTES, listGiven, readGiven } from '../../../activities/given-file.ts';
import { isMade } from '../../../activities/task/script.ts';
import { importsOf, PACKAGE_OF } from '../../../activities/task/undeclared-imports.ts';
import { writeInside } from '../../../deploy/host/files.ts';
import { languageKey } from '../../../evolution/task/languages.ts';
import { UsageError } from '../../connect/errors.ts';
import { largeFiles } from '../init-task.ts';
import { type LonePeer, type PeerFiles, peerTask, type PeerTask } from './formats.ts';
import { hintsOf, needsOf } from './needs.ts';
import { type PeerSettings, peerSettings } from './peer-settings.ts';

const MODULAR = 'openevolve/modular_utils';
const SHIMS = join(import.meta.dirname, 'shims');
/** The modules that evaluators import of a system, and the file that stands for each. */
const MODULES: readonly (readonly [module: RegExp, path: string, shim: string])[] = [
  [/\bfrom shinka\.core import\b/, 'shinka/core.py', 'shinka_core.py'],
  [/\bfrom shinka\.llm import\b/, 'shinka/llm.py', 'shinka_llm.py'],
  [/\bfrom llm4ad\.base import\b/, 'llm4ad/base.py', 'llm4ad_base.py'],
  [/\bgepa\.optimize_anything\b/, 'gepa/optimize_anything.py', 'gepa_anything.py'],
  [/\bgepa\.utils\.code_execution\b/, 'gepa/utils/code_execution.py', 'gepa_code_execution.py'],
  ...['evaluation_controller', 'file_io_controller', 'error_constants'].map(
    (name) => [new RegExp(`\\bmodular_utils\\.${name}\\b`), `${MODULAR}/${name}.py`, 'theta_modular.py'] as const,
  ),
];
/** Most systems limit no memory. */
const MEMORY_MIB = 4096;
/** Modules that are packages; the evaluator image has numpy and scipy. */
const PACKAGES =
  'jax optax sympy tqdm networkx pandas numba h5py gymnasium matplotlib pymoo joblib requests sklearn yaml bs4 lxml cv2';

type PeerStage = { readonly name: string; readonly function: string; readonly threshold?: number };

export type ImportedPeer = PeerTask & {
  readonly settings: PeerSettings;
  readonly packages: readonly string[];
  readonly stages: readonly PeerStage[];
  readonly artifacts: boolean;
  readonly unsupported: readonly string[];
  /** What the folder needs that no task has: it cannot be scored before task.yaml says where that comes from. */
  readonly needs: readonly string[];
  /** What explains a failure. */
  readonly hints: readonly string[];
};

export const importPeer = (folder: string): ImportedPeer => {
  const names = listGiven(folder, folder, { skip: isMade });
  const text = (name: string): string => readGiven(join(folder, name), { maxBytes: GIVEN_BYTES.task, within: folder });
  const task = peerTask({ names, text });
  if (task === null) throw new UsageError(`${folder}: ${EXPECTED}`);
  const files = { names, text };
  const source = readSource(files, task);
  const needs = needsOf(files, task, source);
  const hints = needs.length > 0 ? [] : hintsOf(names, source, basename(folder));
  if (task.program === null) throw new UsageError(`${folder}: ${[...needs, ...hints, LONE(task)].join('; ')}`);
  const settings = peerSettings(files, task);
  const imported = new Set(importsOf('', source).map(({ module }) => module));
  const packages = [...imported]
    .filter((module) => PACKAGES.split(' ').includes(module))
    .map((module) => PACKAGE_OF[module] ?? module);
  const evaluator = text(task.evaluator);
  const stages = stagesIn(evaluator, settings);
  const added = {
    ...(task.initial === undefined ? {} : { [task.program]: `${task.initial.trim()}\n` }),
    ...helpers(folder, source, dirname(task.evaluator)),
    ...(source.includes(MODULAR.replace('/', '.'))
      ? { [join(dirname(task.evaluator), MODULAR, 'variables.json')]: JSON.stringify(settings.variables) }
      : {}),
    'task.yaml': taskYaml(task, settings, {
      ...{ packages, stages },
      dataFiles: largeFiles(folder).filter((path) => path.startsWith(ownFolder(task) ?? '')),
    }),
    'run.yaml': stringify({ task: '.', ...settings.run }),
  };
  const changed = existsSync(join(folder, 'task.yaml')) && text('task.yaml') !== added['task.yaml'];
  for (const [name, content] of Object.entries(added))
    if (!existsSync(join(folder, name))) writeInside(folder, name, content);
  return {
    ...task,
    ...{ settings, packages },
    ...{ stages, artifacts: /\bartifacts\b|\btext_feedback\b/.test(evaluator) },
    unsupported: settings.unsupported,
    needs: changed ? [] : needs,
    hints,
  };
};

/** All its stages but the last, which is its whole evaluation. */
const stagesIn = (evaluator: string, { thresholds }: PeerSettings): readonly PeerStage[] =>
  thresholds === null
    ? []
    : [...evaluator.matchAll(/^def (evaluate_(stage\d+))/gm)].slice(0, -1).map(([, called, name], index) => ({
        ...{ name: name!, function: called! },
        ...(thresholds[index] === undefined ? {} : { threshold: thresholds[index] }),
      }));

/** Where the initial program itself falls short of a stage, its system would go on with the score of that stage. */
export const leaveStagesOut = (folder: string): void => {
  const file = join(folder, 'task.yaml');
  const document = parseDocument(readGiven(file, { maxBytes: GIVEN_BYTES.task, within: folder }));
  document.delete('stages');
  writeInside(folder, 'task.yaml', document.toString());
};

const LONE = ({ format, evaluator }: LonePeer): string =>
  `${evaluator}: the evaluator of ${format}, and no file beside it that is the initial program`;
const EXPECTED =
  'expected what `evolve export` wrote, or a folder of OpenEvolve (evaluator.py, initial_program.py), ShinkaEvolve (evaluate.py, initial.py), SkyDiscover (evaluator/), CodeEvolve (input/), ThetaEvolve (evaluators/, initial_programs/), GEPA (optimize_anything) or LLM4AD (evaluation.py, template.py)';

/**
 * The names that its evaluator imports. Examples of GEPA and LLM4AD import their own files by the path that they have in
 * the repository.
 */
const helpers = (folder: string, source: string, beside: string): { readonly [path: string]: string } => {
  const shims = MODULES.filter(([module]) => module.test(source)).map(
    ([, path, shim]) => [join(beside, path), readGiven(join(SHIMS, shim), { maxBytes: GIVEN_BYTES.task })] as const,
  );
  const own = new RegExp(
    `^[ \\t]*from ((?:\\w+\\.)+${basename(folder).replaceAll(/\W/g, '\\W')})\\.\\w+ import`,
    'm',
  ).exec(source)?.[1];
  const parts = own?.split('.') ?? [];
  const here = `${'os.path.dirname('.repeat(parts.length + 1)}os.path.abspath(__file__)${')'.repeat(parts.length + 1)}`;
  return {
    ...Object.fromEntries(shims),
    ...(own === undefined ? {} : { [join(beside, ...parts, '__init__.py')]: `import os\n\n__path__ = [${here}]\n` }),
  };
};

/** The evaluator, the program, and the modules of the folder that they import. */
const readSource = ({ names, text }: PeerFiles, task: PeerTask | LonePeer): string => {
  const { evaluator, program } = task;
  const initial = program === null ? undefined : task.initial;
  const read = new Map<string, string>(initial === undefined ? [] : [[program!, initial]]);
  const open = [evaluator, program ?? ''];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (read.has(name) || !name.endsWith('.py') || !names.includes(name)) continue;
    read.set(name, text(name));
    for (const module of read.get(name)!.matchAll(/^[ \t]*(?:from|import)\s+([\w.]+)/gm))
      open.push(...names.filter((one) => `/${one}`.endsWith(`/${module[1]!.split('.').at(-1)}.py`)));
  }
  return [...read.values()].join('\n');
};

/** CodeEvolve keeps the results of its own runs beside it. */
const ownFolder = ({ format }: PeerTask): string | undefined => (format === 'codeevolve' ? 'input/' : undefined);

const taskYaml = (
  task: PeerTask,
  { message, seconds, score }: PeerSettings,
  {
    packages,
    stages,
    dataFiles,
  }: Pick<ImportedPeer, 'packages' | 'stages'> & { readonly dataFiles: readonly string[] },
): string => {
  const { evaluator, program, function: called, shape } = task;
  const own = ownFolder(task);
  return stringify({
    kind: 'script',
    ...languageKey(program),
    direction: 'maximise',
    evaluate: { file: evaluator, program, shape, function: called, score: score ?? undefined },
    ...(own === undefined ? {} : { files: [own] }),
    limits: { ...(seconds === null ? {} : { cpuSeconds: seconds }), memoryMiB: MEMORY_MIB },
    ...(stages.length === 0 ? {} : { stages }),
    ...(packages.length === 0 ? {} : { packages }),
    ...(dataFiles.length === 0 ? {} : { dataFiles }),
    problem: `${message?.trim() || 'Find a program with a better score.'}\n`,
  });
};
