// Modules that are loaded when they are first needed, because a command that only reads needs neither the schema of the
// settings nor the reader of tasks.
import type { SettingsChange } from '../../activities/interface/run.ts';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { Task } from '../../evolution/task/task.ts';

export const taskLoader =
  (store: Store) =>
  async (ref: string): Promise<Task> =>
    (await import('../../activities/task/kept-task.ts')).taskLoader(store)(ref);

export const taskOf = async (store: Store, run: RunDocument): Promise<Task> =>
  taskLoader(store)((await import('../../activities/task/kept-task.ts')).taskRef(run));

export const changedConfig = async (config: RunConfig, change: SettingsChange): Promise<RunConfig> =>
  (await import('../../evolution/methods/change.ts')).changedConfig(config, change);
