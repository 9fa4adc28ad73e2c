// A preset is what a method sets when the user does not; there is one for each method.
import type { MethodName } from '../config/names.ts';
import type { MethodDefaults } from '../config/run-config.ts';
import { codeDefaults } from './code.ts';
import {
  greedyRefineDefaults,
  naiveDefaults,
  openevolveDefaults,
  parallelSamplingDefaults,
  shinkaevolveDefaults,
  staticDefaults,
} from './controls.ts';
import { deltaDefaults } from './delta.ts';
import { researchDefaults } from './research.ts';
import { thetaDefaults } from './theta.ts';

export const PRESETS: { readonly [method in MethodName]: MethodDefaults } = {
  theta: thetaDefaults,
  delta: deltaDefaults,
  research: researchDefaults,
  code: codeDefaults,
  naive: naiveDefaults,
  openevolve: openevolveDefaults,
  'parallel-sampling': parallelSamplingDefaults,
  'greedy-refine': greedyRefineDefaults,
  shinkaevolve: shinkaevolveDefaults,
  static: staticDefaults,
};
