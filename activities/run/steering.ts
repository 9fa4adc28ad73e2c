// The steering of a run through its store: a change of settings becomes a new version, and an injected program waits
// for the next step.
import { ConfigError } from '../../evolution/config/config-error.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { changedKeys } from '../../evolution/config/layers.ts';
import { changedConfig } from '../../evolution/methods/change.ts';
import { fitProblem, withBar } from '../../evolution/methods/rules/task-fit.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { SettingsChange, SettingsChanged } from '../interface/run.ts';
import { knownFiles } from '../program-paths.ts';
import { readTexts } from '../reading/reading.ts';
import { sha256 } from '../sha256.ts';
import { ConflictError } from '../store/documents/errors.ts';
import type { Store } from '../store/store.ts';
import { taskRef } from '../task/kept-task.ts';
import { requiredRun } from './step-summary.ts';

export type Changing = {
  readonly store: Pick<Store, 'readRun' | 'setConfig'>;
  readonly loadTask: (ref: string) => Promise<Task>;
};

/**
 * Throws ConfigError when the change is not allowed. One that sets what is set already makes no new version, and
 * neither does a message (`by`) that was obeyed before.
 */
export const changeSettings = async (
  { store, loadTask }: Changing,
  run: string,
  change: SettingsChange,
  by?: string,
): Promise<SettingsChanged & { readonly config: RunConfig }> => {
  for (;;) {
    const document = await requiredRun(store, run);
    if (by !== undefined && document.changes.includes(by))
      return { version: document.configVersion, changed: [], config: document.config };
    const asked = changedConfig(document.config, change);
    const taskOf = (): Promise<Task> => loadTask(taskRef({ ...document, config: asked }));
    const config = asked.limits.targetScore === 'bar' ? withBar(asked, await taskOf()) : asked;
    const changed = changedKeys(document.config, config);
    if (changed.length === 0) return { version: document.configVersion, changed, config: document.config };
    const problem = fitProblem(config, await taskOf());
    if (problem) throw new ConfigError([`${problem.key}: ${problem.message}.`]);
    try {
      return { version: await store.setConfig(run, config, document.configVersion, by), changed, config };
    } catch (error) {
      // Another change was stored first. The loop applies this one to what that made.
      if (!(error instanceof ConflictError)) throw error;
    }
  }
};

/**
 * Throws ConfigError, with nothing stored, when the program is not allowed, as where its closed code is not the initial
 * program's. The same program for the same island is injected once.
 */
export const injectProgram = async (
  {
    store,
    loadTask,
  }: {
    readonly store: Pick<Store, 'readRun' | 'putTexts' | 'inject'>;
    readonly loadTask: (ref: string) => Promise<Task>;
  },
  run: string,
  island: number,
  program: string,
): Promise<{ readonly injected: string }> => {
  const document = await requiredRun(store, run);
  const { population, diff } = document.config;
  const { islands } = population;
  if (!Number.isInteger(island) || island < 0 || island >= islands)
    throw new ConfigError([
      `inject: island: expected a whole number from 0 to ${islands - 1}, got ${JSON.stringify(island)}.`,
    ]);
  if (program.trim() === '')
    throw new ConfigError(['inject: program: expected the text of a program, got an empty text.']);
  const short = (text: string): string => {
    if (text.length <= diff.maxCodeChars) return text;
    throw new ConfigError([
      `inject: program: expected at most ${diff.maxCodeChars} characters (diff.maxCodeChars), got ${text.length}.`,
    ]);
  };
  const task = await loadTask(taskRef(document));
  const [read] = await readTexts('given', [
    { initial: task.initialProgram, given: short(program), diff, files: knownFiles(task) },
  ]);
  const { value, failed } = read!;
  if (value === null) throw new ConfigError([`inject: program: ${failed}.`]);
  if ('reason' in value)
    throw new ConfigError([
      `inject: program: expected the code outside the EVOLVE-BLOCK as the initial program has it: ${value.reason}.`,
    ]);
  const [code] = await store.putTexts([short(value.code)]);
  const { _id } = await store.inject({
    _id: `${run}:inject:${sha256(`${island}\n${program}`).slice(0, 24)}`,
    run,
    island,
    code: code!,
    at: new Date(),
    place: null,
  });
  return { injected: _id };
};
