// The problem in prompts of every style: statement, enforced limits, and one part of advice (docs/prompts.md).
import type { EvaluationSettings, PromptSettings } from '../../config/run-config.ts';
import { isOpen, withoutPromptMarkers } from '../../exploration/prompt-edit.ts';
import { PACKAGE_SETS } from '../../config/settings/package-sets.ts';
import { lockedPackages, pythonOfLock } from '../../task/task-world.ts';
import { stagesLine } from '../../scoring/task-stages.ts';
import { LANGUAGES, toolchainOf } from '../../task/languages.ts';
import { type Task, timeLimitTold } from '../../task/task.ts';
import { printedLine } from './printed.ts';

/** The task as it is run: its limits are the ones that are enforced. */
export type Stated = Pick<
  Task,
  | 'problem'
  | 'partsOf'
  | 'metrics'
  | 'frames'
  | 'scoreName'
  | 'tolerantName'
  | 'kind'
  | 'limits'
  | 'timed'
  | 'world'
  | 'data'
  | 'printed'
  | 'stages'
  | 'direction'
>;

/** The settings on which the words depend. */
export type StatedBy = {
  readonly frame: PromptSettings['frame'];
  /** Programs are shown with all metrics; false when left out. */
  readonly metrics?: boolean | undefined;
  /** Programs are shown with what they printed; false when left out. */
  readonly printed?: boolean | undefined;
  readonly acceptSavedOnTimeout: EvaluationSettings['acceptSavedOnTimeout'];
  /** An evolved prompt is problem, limits and advice (`exploration.promptBlock`); false when left out. */
  readonly evolvesAll?: boolean | undefined;
};

/** What stands the same in every request of a run, and what is drawn for one; either may be empty. */
export type Statement = { readonly problem: string; readonly advice: string };

/**
 * Problem and limits, and as advice the drawn part or the evolved prompt. Without a problem statement the drawn part is
 * the problem, in the papers' form without limits.
 */
export const statementOf = (task: Stated, settings: StatedBy, drawn: string): Statement => {
  if (task.problem != null && settings.evolvesAll === true && isOpen(drawn))
    return { problem: '', advice: withoutPromptMarkers(drawn).trim() };
  const advice = adviceOf(task, settings, drawn);
  if (task.problem != null) return { problem: problemOf(task, settings), advice };
  const limits = settings.frame === 'common' ? limitsSection(task, settings) : '';
  return { problem: joined(advice, limits), advice: '' };
};

/** The parts that say something, with a blank line between them. */
export const joined = (...parts: readonly string[]): string => parts.filter((text) => text !== '').join('\n\n');

/** The parts of the statement that no advice and no evolved prompt can change; empty for a task without a statement. */
export const problemOf = (task: Stated, settings: StatedBy): string =>
  task.problem == null
    ? ''
    : joined(task.problem.trim(), metricsSection(task, settings), limitsSection(task, settings));

/** The meaning of the metrics beside scores; only prompts of the common frame have it. */
const metricsSection = (
  { metrics = {}, frames = {}, scoreName, tolerantName }: Stated,
  { metrics: shown = false }: StatedBy,
): string => {
  const named = [
    ...(tolerantName === undefined ? [] : [`- \`${tolerantName}\`: the same with what the tolerance allows`]),
    ...Object.entries(metrics).flatMap(([name, meaning]) =>
      frames[name] === 'paper' || name === scoreName ? [] : [`- \`${name}\`: ${meaning}`],
    ),
  ];
  return named.length === 0 || !shown
    ? ''
    : `# Metrics\n\nPrograms are shown with these numbers beside their score:\n\n${named.join('\n')}`;
};

/** Advice is drawn without sight of the program, and the program may be past it. */
const ADVICE = 'This was written for the problem, not for the current program, which may do some of it already.';

/**
 * The advice without the markers of an evolved prompt; that of a paper as it stands. Without a statement it stays byte for byte in the papers' form.
 */
export const adviceOf = ({ problem, partsOf }: Stated, { frame }: StatedBy, advice: string): string => {
  if (problem == null && frame === 'paper') return advice;
  const text = withoutPromptMarkers(advice).trim();
  return text === '' || problem == null || partsOf !== undefined ? text : `# Advice\n\n${ADVICE}\n\n${text}`;
};

/** Every limit that can end a program, from the limits that are enforced. */
export const limitsSection = (
  task: Stated,
  { acceptSavedOnTimeout, printed = false }: Pick<StatedBy, 'acceptSavedOnTimeout' | 'printed'>,
): string => {
  const { kind, limits, timed = false, world } = task;
  const { cpuSeconds, wallSeconds, memoryBytes, outputBytes, pids } = limits;
  const isSolution = kind === 'solution';
  const toolchain = toolchainOf(world?.language);
  return [
    '# Limits',
    '',
    `- CPU time: the program is stopped after ${cpuSeconds} s of CPU time, counted over all its processes and threads${isSolution ? `. ${timeTold(limits, toolchain === undefined)}` : ' and over all calls together.'}`,
    `- Wall clock: it is also stopped after ${wallSeconds} s on a machine of its own (later where others use the machine), so do not sleep or wait.`,
    `- Memory: ${sizeOf(memoryBytes)}. ${coresOf(limits, timed)} At most ${pids} processes and threads.`,
    ...(isSolution ? [`- Result: at most ${sizeOf(outputBytes)} as JSON.`] : []),
    ...(isSolution
      ? [
          acceptSavedOnTimeout
            ? `- ${toolchain === undefined ? '`checkpoint(solution)` may be called without an import' : 'A line `{"checkpoint": solution}` may be written at any time'}. If the program is stopped by a limit on time, the last solution saved so counts.`
            : '- A program that is stopped by a limit has no result: what it saved with `checkpoint(solution)` does not count.',
        ]
      : []),
    ...stagesLine(task),
    ...(printed ? [printedLine(task)] : []),
    ...(printed && task.data === 'drawn' ? ['- Scores are of one draw of the data, the same for all programs.'] : []),
    `- ${languageLine(kind, world)} No network${kind === 'script' ? '' : ', no files'}.`,
  ].join('\n');
};

/** A function that is called gets the arguments of the call, and no instance. */
const timeTold = (limits: Task['limits'], python: boolean): string =>
  `\`${python ? 'instance["time_limit_s"]' : 'instance.time_limit_s'}\` tells it ${timeLimitTold(limits)}: plan for that.`;

const coresOf = ({ cores }: Task['limits'], timed: boolean): string =>
  `${cores === 1 ? 'One core' : `${cores} cores`}${timed ? ', of its own while time is measured' : ''}.`;

/** The versions are those of the evaluator image (deploy/images/evaluator); a test holds them against it. */
export const PYTHON = { python: '3.11', numpy: '2.2', scipy: '1.15' } as const;

const languageLine = (kind: Task['kind'], world: Task['world'] = {}): string => {
  const { language = 'python' } = world;
  const toolchain = toolchainOf(language);
  if (toolchain !== undefined || language === 'text') {
    const { title } = LANGUAGES[language];
    const own = world.image !== undefined || world.dockerfile !== undefined ? 'of its image' : toolchain?.told;
    return language === 'text' ? 'Text, and no program.' : `Language: ${title}${kind === 'script' ? '' : `, ${own}`}.`;
  }
  const { image, dockerfile, lock, set } = world;
  const own = image !== undefined || dockerfile !== undefined;
  if (!own && lock == null)
    return `Python ${PYTHON.python} or later with its standard library, numpy ${PYTHON.numpy} and scipy ${PYTHON.scipy}; no other package.`;
  const versions = new Map<string, string>(
    own
      ? []
      : [
          ['numpy', PYTHON.numpy],
          ['scipy', PYTHON.scipy],
        ],
  );
  const asked: readonly string[] | null = set === undefined ? null : ['numpy', 'scipy', ...PACKAGE_SETS[set]];
  for (const { name, version } of lockedPackages(lock ?? ''))
    if (asked === null || asked.includes(name)) versions.set(name, version);
  const named = [...versions].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, version]) => `${name} ${version}`);
  const rest = own ? ['what its image has'] : set === undefined ? [] : ['what these need'];
  const gpu = set === undefined ? '' : ' There is no GPU.';
  return `Python ${pythonOfLock(lock ?? '') ?? `${PYTHON.python} or later`} with its standard library, ${[...named, ...rest].join(', ')}; no other package.${gpu}`;
};

/** Whole GiB or MiB where it is one, else MiB with one decimal. */
export const sizeOf = (bytes: number): string => {
  if (bytes % 2 ** 30 === 0) return `${bytes / 2 ** 30} GiB`;
  const mib = bytes / 2 ** 20;
  return `${Number.isInteger(mib) ? mib : mib.toFixed(1)} MiB`;
};
