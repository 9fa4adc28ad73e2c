// A change of a run's settings, as a new version. Called by the activity of the same name for an open run, by the library for a closed one.
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { changedConfig, changedKeys } from '../../evolution/config/change.ts';
import { ConfigError } from '../../evolution/config/problems.ts';
import { taskProblem } from '../../evolution/config/task-rules.ts';
import type { Task } from '../../evolution/task.ts';
import type { SettingsChange, SettingsChanged } from '../interface.ts';
import { missing } from '../step-summary.ts';
import { ConflictError, type Store } from '../store/store.ts';

/** Throws ConfigError, with nothing changed, when the change cannot be. A change that is there already makes no new version, nor does a
 *  message (`by`) that was obeyed before. */
export const changeSettings = async (
  { store, loadTask }: { readonly store: Pick<Store, 'readRun' | 'setConfig'>; readonly loadTask: (id: string) => Promise<Task> }, run: string, change: SettingsChange, by?: string,
): Promise<SettingsChanged & { readonly config: RunConfig }> => {
  for (;;) {
    const document = await store.readRun(run);
    if (!document) throw missing(`run ${run}`);
    if (by !== undefined && document.changes.includes(by)) return { version: document.configVersion, changed: [], config: document.config };
    const config = changedConfig(document.config, change);
    const changed = changedKeys(document.config, config);
    if (changed.length === 0) return { version: document.configVersion, changed, config: document.config };
    const problem = taskProblem(config, await loadTask(config.task));
    if (problem) throw new ConfigError([`${problem.key}: ${problem.message}.`]);
    try {
      return { version: await store.setConfig(run, config, document.configVersion, by), changed, config };
    } catch (error) {
      // Another change came first: this one is applied to what that made.
      if (!(error instanceof ConflictError)) throw error;
    }
  }
};
