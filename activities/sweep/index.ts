// All activities of the sweep queue, in one object.
import type { SweepActivities } from '../interface/sweep.ts';
import { createOpenSweep, type OpenSweepDeps } from './open-sweep.ts';
import { type AwaitRunsDeps, createAwaitRuns, createDecideRung } from './rungs.ts';

export const createSweepActivities = (deps: OpenSweepDeps & Pick<AwaitRunsDeps, 'standing'>): SweepActivities => ({
  ...createOpenSweep(deps),
  ...createAwaitRuns(deps),
  ...createDecideRung(deps),
});
