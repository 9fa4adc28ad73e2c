// What each method sets when the user does not: one file a method, all of one shape. Called by config/defaults.ts.
import type { MethodDefaults } from './method-defaults.ts';
import type { MethodName } from './names.ts';
import { deltaDefaults } from './delta.ts';
import { researchDefaults } from './research.ts';
import { greedyRefineDefaults } from './greedy-refine.ts';
import { openevolveDefaults } from './openevolve.ts';
import { parallelSamplingDefaults } from './parallel-sampling.ts';
import { staticDefaults } from './static.ts';
import { codeDefaults } from './code.ts';
import { naiveDefaults } from './naive.ts';
import { thetaDefaults } from './theta.ts';

export const PRESETS: { readonly [method in MethodName]: MethodDefaults } = {
  theta: thetaDefaults, delta: deltaDefaults, research: researchDefaults,
  code: codeDefaults, naive: naiveDefaults,
  openevolve: openevolveDefaults, 'parallel-sampling': parallelSamplingDefaults, 'greedy-refine': greedyRefineDefaults, static: staticDefaults,
};
