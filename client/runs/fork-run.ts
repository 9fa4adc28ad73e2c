// A fork: a new run that goes on after a committed step of another run and refers to what it inherits instead of
// copying it.
import { isDeepStrictEqual } from 'node:util';
import { forkedConfig, requireForkStep } from '../../activities/run/fork-config.ts';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { Path } from '../../evolution/config/layers.ts';
import type { Layer } from '../../evolution/config/problems.ts';
import { modelPool } from '../../evolution/models/ensemble.ts';
import { taskOf } from '../connect/loaded-late.ts';
import { checkParts } from './check-parts.ts';
import type { Parts } from '../connect/connection.ts';
import { checkNamedPolicies } from './named-policies.ts';
import { UsageError } from '../connect/errors.ts';
import { refreshKeys } from '../connect/keys.ts';
import { FirstRequests } from './first-request.ts';
import { checkModels } from './preflight.ts';
import { checkRunId, suffixed } from '../read/run-id.ts';
import { resolveSettings } from './settings.ts';
import { requireFree, takenMessage } from './start-run.ts';
import { withNamedTask } from '../tasks/task-folder.ts';
import { startRunWorkflow } from '../temporal/workflow.ts';

export type ForkRequest = {
  /** The fork goes on after this committed step. */
  readonly step: number;
  /** Id of the new run; chosen when left out. */
  readonly run?: string | undefined;
  /** Settings that differ from the other run's, as in a configuration file. */
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
  requireForkStep(parent, step, 'step');
  const own =
    set === undefined
      ? layers
      : [...layers, withNamedTask({ settings: set, where: (path: Path) => `set ${path.join('.')}` }, process.cwd())];
  const config = forkedConfig(parent, step, own, (all) => resolveSettings(all, place.env).config);
  const run =
    wanted === undefined ? suffixed(`${parent.run.slice(0, 45)}-at-${step}`, Math.random) : checkRunId(wanted);
  await checkModels([config], place);
  await checkParts(place, [config]);
  const store = await parts.store();
  await checkNamedPolicies(store, [config]);
  await requireFree(store, run);
  if (!isDeepStrictEqual(modelPool(config), modelPool(parent.config)))
    await new FirstRequests([{ config, task: await taskOf(store, parent) }], place).ask(() => undefined);
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
