// ThetaEvolve without a search: every parent is the initial program (reference thetaevolve, section 2, Runs, baselines, ablations: static). With
// `reward.kind: format` it is the other baseline. Read by presets.ts.
import type { MethodDefaults } from './method-defaults.ts';
import { thetaDefaults } from './theta.ts';

export const staticDefaults: MethodDefaults = {
  ...thetaDefaults,
  method: 'static',
  population: { ...thetaDefaults.population, keepInitial: true },
  selection: { ...thetaDefaults.selection, kind: 'initial' },
};
