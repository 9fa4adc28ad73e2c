// A fork: a new run that goes on after a committed step of another, by reference.
import type { RunDocument } from '../activities/store/documents.ts';
import type { Path } from '../evolution/config/layers.ts';
import type { Layer } from '../evolution/config/problems.ts';
import type { RunConfig } from '../evolution/config/run-config.ts';
import { changedKeys, FIXED } from '../evolution/methods/change.ts';
import { checkParts, type Parts } from './connection.ts';
import { UsageError } from './errors.ts';
import { refreshKeys } from './keys.ts';
import { checkModels } from './preflight.ts';
import { checkRunId, suffixed } from './run-id.ts';
import { resolveSettings } from './settings.ts';
import { requireFree, takenMessage } from './start-run.ts';
import { withNamedTask } from './task-folder.ts';
import { startRunWorkflow } from './workflow.ts';

export type ForkRequest = {
  /** The fork goes on after this committed step. */
  readonly step: number;
  /** Id of the new run; chosen when left out. */
  readonly run?: string | undefined;
  /** Settings as in a configuration file that differ from the other run's. */
  readonly set?: object;
  /** The same as layers, so that errors name a flag or a line of a file. */
  readonly layers?: readonly Layer[];
};

/** Checks everything, creates the fork and starts its workflow; resolves to its id. */
export const forkRun = async (
  parts: Parts,
  parent: RunDocument,
  { step, run: wanted, set, layers = [] }: ForkRequest,
): Promise<string> => {
  const { place } = parts;
  if (!Number.isInteger(step) || step < 0 || step > parent.committedStep) {
    throw new UsageError(
      `step: expected 0 to ${parent.committedStep}, the last committed step of run ${parent.run}, got ${step}`,
    );
  }
  const given =
    set === undefined
      ? layers
      : [...layers, withNamedTask({ settings: set, where: (path: Path) => `set ${path.join('.')}` }, process.cwd())];
  const config = forkedConfig(parent, step, given, place.env);
  const run =
    wanted === undefined ? suffixed(`${parent.run.slice(0, 45)}-at-${step}`, Math.random) : checkRunId(wanted);
  await checkModels([config], place);
  await checkParts(place, [config]);
  const store = await parts.store();
  await requireFree(store, run);
  refreshKeys(place.home.root, config, place.env);
  const engine = await parts.engine();
  const { created, run: document } = await store.createFork({
    run,
    from: parent.run,
    step,
    config,
    createdAt: new Date(),
  });
  if (!created) throw new UsageError(takenMessage(run, document.status));
  await startRunWorkflow(engine, { run }, config, { again: false });
  return run;
};

/** The parent's settings with the changes; throws where they cannot go on from the parent's population. */
export const forkedConfig = (
  parent: RunDocument,
  step: number,
  layers: readonly Layer[],
  env: NodeJS.ProcessEnv,
): RunConfig => {
  const { config } = resolveSettings(
    [{ settings: parent.config, where: () => `settings of run ${parent.run}` }, ...layers],
    env,
  );
  const fixed = changedKeys(parent.config, config).filter((key) => Object.hasOwn(FIXED, key) && key !== 'seed');
  if (fixed.length > 0)
    throw new UsageError(
      `${fixed.join(', ')}: a fork goes on with the population of run ${parent.run}, which was made with other settings: start a new run instead`,
    );
  const { steps } = config.limits;
  if (steps !== null && steps <= step)
    throw new UsageError(
      `limits.steps: the fork begins after step ${step} and would end at once with ${steps} steps in all: give more, e.g. --steps ${step + 10}`,
    );
  return config;
};
