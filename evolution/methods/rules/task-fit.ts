// The fit of settings and task, checked before the run exists and at each change.
import { ConfigError } from '../../config/config-error.ts';
import { nearest } from '../../config/nearest.ts';
import type { RunConfig } from '../../config/run-config.ts';
import { autoLevel, DEFAULT_LEVEL, givesGpus, levelOf, levelsThat, withRuntime } from '../../config/levels.ts';
import { signOf } from '../../scoring/ranking.ts';
import { needsEngine } from '../../task/task-world.ts';
import type { Task } from '../../task/task.ts';

type Misfit = { readonly key: string; readonly message: string };

type Judged = Pick<
  Task,
  'id' | 'timed' | 'needs' | 'world' | 'scoreName' | 'features' | 'evaluatorSource' | 'library' | 'harness' | 'script'
>;

/** The name of the level of a run's programs. `auto` is the level of the machine. */
export const levelName = (
  { sandbox, runtime }: Pick<RunConfig['evaluation'], 'sandbox' | 'runtime'>,
  task: Pick<Task, 'timed' | 'needs'>,
  auto = DEFAULT_LEVEL,
): string =>
  sandbox !== 'auto'
    ? sandbox
    : autoLevel(auto, {
        timed: task.timed === true,
        gpu: task.needs?.gpu !== undefined,
        runtime,
      });

/** Beyond so many digits a value is that of the reference. */
const SAME = 1e-9;

/**
 * The settings with the best value known in the place of `limits.targetScore: bar`. Throws ConfigError where the task
 * names none.
 */
export const withBar = (
  config: RunConfig,
  { id, references, direction }: Pick<Task, 'id' | 'references' | 'direction'>,
): RunConfig => {
  if (config.limits.targetScore !== 'bar') return config;
  const best = references.find((reference) => reference.best === true)?.value;
  if (best === undefined)
    throw new ConfigError([
      `limits.targetScore: bar is the best value known, and task ${id} has no reference with best: true; expected a number.`,
    ]);
  const targetScore = best - signOf(direction) * SAME * Math.abs(best);
  return { ...config, limits: { ...config.limits, targetScore } };
};

/** As `taskProblem`, of all settings; `cores` are those of the machine, null where programs run elsewhere. */
export const fitProblem = (
  config: Pick<RunConfig, 'evaluation' | 'population'>,
  task: Judged,
  auto = DEFAULT_LEVEL,
  cores: number | null = null,
): Misfit | null =>
  runtimeProblem(config, task, auto) ??
  taskProblem(config, task, auto) ??
  coresProblem(config, task, cores) ??
  modelProblem(config, task) ??
  metricProblem(config, task);

/** Whoever starts the run says how much its evaluator may ask. */
const modelProblem = ({ evaluation }: Pick<RunConfig, 'evaluation'>, { id, script }: Judged): Misfit | null => {
  const asks = script?.network === 'model';
  if (asks === evaluation.modelCalls > 0) return null;
  const message = asks
    ? `expected the most requests that the evaluator of ${id} may make to a model for one program, since its task.yaml says evaluator: {network: model}, got 0: --set evaluation.modelCalls=10`
    : `expected 0, since the evaluator of ${id} asks no model (evaluator: {network: model} in its task.yaml), got ${evaluation.modelCalls}`;
  return { key: 'evaluation.modelCalls', message };
};

/** The key that does not fit the task, and why; null where all fit. `auto` is the level of the machine. */
export const taskProblem = (
  { evaluation }: Pick<RunConfig, 'evaluation'>,
  task: Pick<Task, 'id' | 'timed' | 'needs' | 'world'>,
  auto = DEFAULT_LEVEL,
): Misfit | null => {
  const { sandbox } = evaluation;
  const { id, timed, needs, world } = task;
  const level = levelOf(levelName(evaluation, task, auto));
  if (level === null) return null;
  const { name, can } = level;
  const missing: readonly [lacks: boolean, what: 'engine' | 'timed' | 'gpu', cause: string][] = [
    [
      needsEngine(world) && !level.engine,
      'engine',
      `${id} has packages, a language, an image or data files of its own and the level ${name} has no container engine for them`,
    ],
    [
      timed === true && !can.timed,
      'timed',
      `the score of ${id} is a time and the level ${name} cannot keep a program on a core of its own`,
    ],
    // The level of this machine says nothing of the hosts with GPUs.
    [
      needs?.gpu !== undefined && !can.gpu && sandbox !== 'auto',
      'gpu',
      `programs of ${id} need a GPU and the level ${name} gives them none`,
    ],
  ];
  const first = missing.find(([lacks]) => lacks);
  if (first === undefined) return null;
  const [, what, cause] = first;
  const message =
    sandbox === 'auto'
      ? `expected a Docker engine, since ${cause}, got auto, which is ${name} on this machine: install Docker (\`npx evolve doctor\` says how)`
      : `expected ${levelsThat((other) => other[what])} or auto, since ${cause}, got ${sandbox}`;
  return { key: 'evaluation.sandbox', message };
};

/** Not every level has every runtime, and not every runtime does for a time or a GPU. */
const runtimeProblem = (
  { evaluation }: Pick<RunConfig, 'evaluation'>,
  task: Pick<Judged, 'id' | 'timed' | 'needs'>,
  auto: string,
): Misfit | null => {
  const { sandbox, runtime } = evaluation;
  const { id, timed, needs } = task;
  const level = levelOf(levelName(evaluation, task, auto));
  if (runtime === 'engine' || level === null) return null;
  const misfit = (message: string): Misfit => ({ key: 'evaluation.runtime', message: `${message}, got ${runtime}` });
  if (!level.can.runtimes.includes(runtime)) {
    const { key, message } = misfit(
      `expected ${level.can.runtimes.join(' or ')}, since the level ${level.name} has no other runtime`,
    );
    const instead =
      sandbox === 'auto'
        ? 'install Docker (`npx evolve doctor` says how)'
        : `set evaluation.sandbox to ${levelsThat(({ runtimes }) => runtimes.includes(runtime))}`;
    return { key, message: `${message}: ${instead}` };
  }
  if (timed === true && runtime !== 'runc')
    return misfit(
      `expected engine or runc, since the score of ${id} is a time, and under ${runtime} it would be that of another kernel too`,
    );
  if (level.can.gpu && needs?.gpu !== undefined && !givesGpus(withRuntime(level.name, runtime)))
    return misfit(`expected engine or runc, since programs of ${id} need a GPU, and ${runtime} gives them none`);
  return null;
};

/** A time is measured on one core that nothing else uses; elsewhere a program can have what the machine has. */
const coresProblem = (
  { evaluation: { cores } }: Pick<RunConfig, 'evaluation'>,
  { id, timed }: Pick<Judged, 'id' | 'timed'>,
  most: number | null,
): Misfit | null => {
  if (cores === null) return null;
  const message =
    timed === true && cores > 1
      ? `expected 1 or null, since the score of ${id} is a time that is measured on a core of its own, got ${cores}`
      : most !== null && cores > most
        ? `expected at most ${most}, the cores of this machine, got ${cores}`
        : null;
  return message === null ? null : { key: 'evaluation.cores', message };
};

const METRIC = 'metric:';

/** An axis needs a reported metric. One is refused that neither task.yaml lists nor a source of the evaluator names. */
const metricProblem = (
  { population: { features, map } }: Pick<RunConfig, 'population'>,
  { id, scoreName, features: listed = [], evaluatorSource, library = [], harness = '', script }: Judged,
): Misfit | null => {
  if (map === 'none') return null;
  const sources = [evaluatorSource, harness, ...library.map(({ source }) => source), script?.files[script.file] ?? ''];
  const known = listed
    .map((feature) => (typeof feature === 'string' ? feature : feature.name))
    .flatMap((name) => (name.startsWith(METRIC) ? name.slice(METRIC.length) : []));
  for (const [index, feature] of features.entries()) {
    const named = typeof feature === 'string' ? feature : feature.name;
    if (!named.startsWith(METRIC)) continue;
    const metric = named.slice(METRIC.length);
    // `<score>_strict` is made of the score's name, and a numbered metric of its beginning.
    const stem = metric.replace(/\d.*$/, '');
    const said = (text: string): boolean => text !== '' && sources.some((source) => source.includes(text));
    if (known.includes(metric) || metric.startsWith(scoreName) || said(metric) || (stem !== metric && said(stem)))
      continue;
    const near = nearest(metric, known);
    return {
      key: `population.features.${index}${typeof feature === 'string' ? '' : '.name'}`,
      message: `expected a metric that the evaluator of ${id} reports${known.length === 0 ? '' : ` (${known.join(', ')}, ...)`}, got ${metric}${near === null ? '' : `; the nearest is ${near}`}`,
    };
  }
  return null;
};
