// The check of a change of limits or settings, so that a change of many runs is refused before the first is changed.
import { alreadyReached, reachedText } from '../../activities/run/reached.ts';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { extend } from '../../evolution/steering/extend.ts';
import type { Direction, Json } from '../../evolution/types.ts';
import type { ExtendRequest } from '../../workflows/messages/messages.ts';
import { UsageError } from '../connect/errors.ts';
import { changedConfig, taskOf } from '../connect/loaded-late.ts';

/** The settings with the new limits. Throws ConfigError, and UsageError where the run would not go on with them. */
export const extended = async (store: Store, run: RunDocument, request: ExtendRequest): Promise<RunConfig> => {
  const config = await changedConfig(run.config, extend.change(request));
  const now = new Date();
  const reached = alreadyReached(run, config.limits, await directionOf(store, run), now);
  if (reached !== null)
    throw new UsageError(
      `${reachedText(run, reached, config.limits, now)}. Limits count from the start of the run: give more, or --add, which adds to the present limits`,
    );
  return config;
};

/** Throws ConfigError where the settings of the run cannot be changed so. */
export const checkPatch = async (
  store: Store,
  run: RunDocument,
  patch: { readonly [key: string]: Json },
): Promise<void> => {
  const config = await changedConfig(run.config, { kind: 'set', patch });
  const [{ fitProblem }, { ConfigError }] = await Promise.all([
    import('../../evolution/methods/rules/task-fit.ts'),
    import('../../evolution/config/config-error.ts'),
  ]);
  const problem = fitProblem(config, await taskOf(store, { ...run, config }));
  if (problem) throw new ConfigError([`${problem.key}: ${problem.message}.`]);
};

/** In which direction scores are better; null where the task is gone. */
export const directionOf = (store: Store, run: RunDocument): Promise<Direction | null> =>
  taskOf(store, run).then(
    (task) => task.direction,
    () => null,
  );
