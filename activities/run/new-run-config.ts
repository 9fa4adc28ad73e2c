// The complete settings of a run that is started by its workflow and not by a command: from the Temporal UI, for
// example. They are checked as a file is, and completed as `evolve run` completes them.
import type { Layer } from '../../evolution/config/problems.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { resolveConfig } from '../../evolution/methods/resolve.ts';
import { shapingLayer } from '../task/shaping.ts';

/** `below` counts where the settings name no model; null is the offline model. Throws ConfigError. */
export const newRunConfig = (settings: unknown, below: Layer | null): RunConfig => {
  const layers: readonly Layer[] = [...(below === null ? [] : [below]), { settings, where: () => 'config' }];
  return resolveConfig([...shapingLayer(layers), ...layers]).config;
};
