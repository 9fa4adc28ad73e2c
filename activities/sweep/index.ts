// The activities of the sweep queue, for the worker.
import type { SweepActivities } from '../interface.ts';
import { createAwaitRuns, type AwaitRunsDeps } from './await-runs.ts';
import { createDecideRung } from './decide-rung.ts';
import { createOpenSweep, type OpenSweepDeps } from './open-sweep.ts';

export const createSweepActivities = (deps: OpenSweepDeps & Pick<AwaitRunsDeps, 'isOpen'>): SweepActivities => ({
  ...createOpenSweep(deps), ...createAwaitRuns(deps), ...createDecideRung(deps),
});
