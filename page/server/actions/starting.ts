// Starts a run, a sweep or a fork. Settings come as a mapping from a form, or as the text of a file; a mistake names
// the key beside which a form shows it.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseDocument } from 'yaml';
import type { DurableEvolve } from '../../../client/durable-evolve.ts';
import { machineOf, type Place } from '../../../client/connect/connection.ts';
import { resolveSettings } from '../../../client/runs/settings.ts';
import { prepareRun } from '../../../client/runs/start-run.ts';
import { prepareSweep } from '../../../client/sweeps/sweep-spec.ts';
import { initTask } from '../../../client/tasks/init-task.ts';
import { tryInitial, whyNoScore } from '../../../client/tasks/trial.ts';
import { taskName } from '../../../evolution/task/task.ts';
import { withNamedTask } from '../../../client/tasks/task-folder.ts';
import { RunPlan } from '../../../evolution/experiments/run-plan.ts';
import { ConfigError } from '../../../evolution/config/config-error.ts';
import { isPlain, type Path } from '../../../evolution/config/layers.ts';
import type { Layer } from '../../../evolution/config/problems.ts';
import { fileLayer } from '../../../evolution/config/sources.ts';
import { combinationText } from '../../../evolution/sweep/combinations.ts';
import { counted } from '../../../evolution/reports/number-text.ts';
import { doneText } from '../../../evolution/steering/verbs.ts';
import type { Json } from '../../../evolution/types.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { writeInside } from '../../../deploy/host/files.ts';
import { resolveHome } from '../../../deploy/host/home.ts';
import { sha256 } from '../../../deploy/host/sha256.ts';
import { shown } from '../../../evolution/config/shown.ts';
import type { Body, Done, Problem } from '../../api/actions/actions.ts';

/** The text of an answer, and the parts in which it differs from one that only says that it is done. */
export type Said = { readonly text: string } & Partial<Done>;

type Mapping = { readonly [key: string]: Json };

/** No key of a setting holds it, so a problem of a form's own layer is known by it. */
const FORM = 'form§';

const layerOf = (settings: object | undefined, yaml: string | undefined, file: string): Layer => {
  if (settings !== undefined && yaml !== undefined)
    throw new UsageError('expected either a mapping of settings or the text of a file, got both');
  const layer =
    yaml === undefined
      ? { settings: settings ?? {}, where: (path: Path) => `${FORM}${path.join('.')}` }
      : fileLayer(file, yaml);
  return withNamedTask(layer, process.cwd());
};

const given = ({ settings }: Layer): Mapping => (isPlain(settings) ? (settings as Mapping) : {});

/** `form§limits.steps: limits.steps: expected ...` as a key and a sentence. */
export const problemOf = (text: string): Problem => {
  const [, place, rest = text] = /^form§([^:]*): (.*)$/s.exec(text) ?? [];
  const message = place !== undefined && rest.startsWith(`${place}: `) ? rest.slice(place.length + 2) : rest;
  const key = place === '' || place === undefined ? (/^([a-z]\w*(?:\.\w+)*): /i.exec(message)?.[1] ?? null) : place;
  return {
    key,
    message: (key !== null && message.startsWith(`${key}: `) ? message.slice(key.length + 2) : message).replaceAll(
      FORM,
      '',
    ),
  };
};

/** A mistake of a form in words that name no place in a file. */
const plainly = (error: unknown): unknown =>
  error instanceof ConfigError
    ? new ConfigError(
        error.problems.map(problemOf).map(({ key, message }) => (key === null ? message : `${key}: ${message}`)),
      )
    : error instanceof Error
      ? Object.assign(error, { message: error.message.replaceAll(FORM, '') })
      : error;

/** The mistakes as an answer: a check that finds some has done its work. */
const checked = async (work: () => Promise<Said>, settings: Mapping): Promise<Said> => {
  try {
    return await work();
  } catch (error) {
    const problems =
      error instanceof ConfigError
        ? error.problems.map(problemOf)
        : error instanceof Error
          ? [problemOf(error.message)]
          : [{ key: null, message: String(error) }];
    return {
      text: 'nothing can be started so',
      problems,
      plan: { lines: [], cost: '', given: settings, config: null },
    };
  }
};

const placeOf = (env: NodeJS.ProcessEnv): Place => ({ home: resolveHome(env), env });

const MOST_FILES = 100;
const FILE = /^(?!.*(?:^|\/)\.)[\w.-]{1,100}(?:\/[\w.-]{1,100}){0,5}$/;

type Entries = readonly (readonly [name: string, text: string])[];

const entriesOf = (files: object): Entries => {
  const entries = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length > MOST_FILES) throw new UsageError(`files: expected at most ${MOST_FILES}, got ${entries.length}`);
  for (const [name, text] of entries) {
    if (!FILE.test(name))
      throw new UsageError(`files: expected names such as evaluator.py or data/a.json, got ${shown(name)}`);
    if (typeof text !== 'string') throw new UsageError(`files: ${name}: expected its text, got ${shown(text)}`);
    const below = entries.find(([other]) => other.startsWith(`${name}/`));
    if (below !== undefined)
      throw new UsageError(`files: ${name}: expected a folder, because of ${below[0]}, got a file`);
  }
  return entries;
};

/** A program that takes longer is left to the run, because an action has 3 minutes in all. */
const TRIAL_MS = 60_000;

/** The task is named as its task.yaml says. */
const titleOf = (files: Entries): string => {
  const [, text = ''] = files.find(([name]) => name === 'task.yaml') ?? [];
  const title: unknown = parseDocument(text).get('title');
  return taskName(typeof title === 'string' ? title : '').slice(0, 60);
};

/**
 * Starts with a task of these files, whose folder below the home stays where the run is started. The same files have the
 * same folder, and their initial program was scored before the first run; a check has a folder of its own.
 */
const startWith = async (files: object, env: NodeJS.ProcessEnv, body: Body<'start'>, starts: Starts): Promise<Said> => {
  const entries = entriesOf(files);
  const all = join(resolveHome(env).root, 'given');
  mkdirSync(all, { recursive: true });
  const above = body.dry ? mkdtempSync(join(all, 'check-')) : all;
  const content = join(above, sha256(JSON.stringify(entries)).slice(0, 24));
  const folder = join(content, titleOf(entries));
  let stays = existsSync(folder);
  const scored = async (): Promise<void> => {
    if (stays || machineOf(placeOf(env)).cores === null) return;
    const late = sleep(TRIAL_MS, null, { ref: false });
    const evaluation = await Promise.race([tryInitial(placeOf(env), folder), late]);
    const why = evaluation === null ? [] : whyNoScore(evaluation);
    if (why.length > 0) throw new UsageError(why.map((text) => text.replace(/\.$/, '')).join('. '));
  };
  try {
    for (const [name, text] of entries) writeInside(folder, name, text);
    const said = await starts((await initTask([folder], {}, null)).folder, scored);
    stays = true;
    return said;
  } finally {
    if (body.dry || !stays) rmSync(body.dry ? above : content, { recursive: true, force: true });
  }
};

/** `scored` throws where the task's initial program has no score, which is asked last, as it takes seconds. */
type Starts = (task: string, scored: () => Promise<void>) => Promise<Said>;

export const start = async (evolve: DurableEvolve, body: Body<'start'>, env: NodeJS.ProcessEnv): Promise<Said> => {
  const layer = layerOf(body.settings, body.yaml, 'run.yaml');
  const written = given(layer);
  if (body.files === undefined) return startLayer(evolve, body, layer, env, async () => undefined);
  if (Object.hasOwn(written, 'task')) throw new UsageError('task: expected either this setting or files, got both');
  const starts: Starts = (task, scored) =>
    startLayer(evolve, body, { ...layer, settings: { ...written, task } }, env, scored);
  return startWith(body.files, env, body, starts);
};

const startLayer = async (
  evolve: DurableEvolve,
  body: Body<'start'>,
  layer: Layer,
  env: NodeJS.ProcessEnv,
  scored: () => Promise<void>,
): Promise<Said> => {
  const prepared = async () => {
    const run = await prepareRun(placeOf(env), resolveSettings([layer], env), body.run);
    await scored();
    return run;
  };
  if (body.dry)
    return checked(async () => {
      const { resolved, warnings, plan } = await prepared();
      const { config } = resolved;
      return {
        text: 'can be started so',
        warnings: warnings,
        plan: {
          lines: plan.lines,
          cost: plan.cost(),
          given: given(layer),
          config: config as unknown as Mapping,
        },
      };
    }, given(layer));
  try {
    const { id } = await evolve.launch(await prepared());
    return { text: `run ${id} is under way`, run: id };
  } catch (error) {
    throw plainly(error);
  }
};

const SHOWN = 20;

export const startSweep = async (evolve: DurableEvolve, body: Body<'sweep'>, env: NodeJS.ProcessEnv): Promise<Said> => {
  const { settings: spec, where } =
    body.yaml === undefined
      ? { settings: body.spec ?? {}, where: (path: Path) => `${FORM}${formKey(path)}` }
      : fileLayer('sweep.yaml', body.yaml, 'name: batch-sizes');
  const written = isPlain(spec) ? (spec as Mapping) : {};
  const prepared = async () => prepareSweep(placeOf(env), spec, where);
  if (body.dry)
    return checked(async () => {
      const {
        expanded: { name, groups, runs },
        taken,
        warnings,
      } = await prepared();
      const first = runs[0]!.config;
      const plan = new RunPlan(first, taken.get(first.task)!.task);
      return {
        text: 'can be started so',
        warnings,
        plan: {
          lines: [
            `Sweep ${name}: ${counted(runs.length, 'run')} of ${counted(groups.length, 'configuration')}.`,
            ...groups
              .slice(0, SHOWN)
              .map(
                (group, index) =>
                  `${combinationText(group)} (${counted(runs.filter((run) => run.group === index).length, 'run')})`,
              ),
            ...(groups.length > SHOWN ? [`and ${groups.length - SHOWN} more`] : []),
            `Its first run: ${plan.lines.join(' ')}`,
          ],
          cost: `${plan.cost('Each run')} There are ${counted(runs.length, 'run')}.`,
          given: written,
          config: first as unknown as Mapping,
        },
      };
    }, written);
  try {
    const sweep = await evolve.launchSweep(await prepared());
    return { text: `sweep ${sweep.name} is under way` };
  } catch (error) {
    throw plainly(error);
  }
};

/** The keys of a sweep's base are shown beside the fields of settings. */
const formKey = (path: Path): string => (path[0] === 'base' ? path.slice(1) : path).join('.');

export const fork = async (evolve: DurableEvolve, body: Body<'fork'>): Promise<Said> => {
  const parent = await evolve.run(body.run);
  const layer = layerOf(body.set, body.yaml, 'fork.yaml');
  try {
    const { id } = await parent.fork({ step: body.step, run: body.as, layers: [layer] });
    return { text: doneText('fork', { run: parent.id }, body, { fork: id }), run: id };
  } catch (error) {
    throw plainly(error);
  }
};
