// A control drops settings that it takes away where a weaker layer, such as a file, sets them. Whoever names control
// and setting in one place, or the setting in a stronger one, is obeyed.
import { defined, isPlain, valueAt } from '../config/layers.ts';
import type { MethodName } from '../config/names.ts';
import type { Whereabouts } from '../config/problems.ts';
import type { RunSettings } from '../config/settings.ts';

/** No group explores, no prompt is edited, no idea comes before a program. */
const OPERATORS = ['exploration.schedule', 'exploration.metaPrompt', 'exploration.initMetaPrompt'] as const;
/** Programs beside the parent. */
const CONTEXT = ['priorPrograms', 'elites', 'diverse', 'inspirations', 'ancestors'].map((key) => `prompt.${key}`);
/** The makers of more than one line of descent. */
const PLACES = ['islands', 'islandCap', 'map', 'initialisation'].map((key) => `population.${key}`);

/** The settings that each control decides, by dotted key. */
const TAKEN: { readonly [method in MethodName]?: readonly string[] } = {
  static: ['selection.kind', 'population.keepInitial'],
  naive: [
    ...OPERATORS,
    'population.map',
    'population.islandCap',
    'selection.pool',
    'prompt.inspirations',
    'prompt.ancestors',
  ],
  openevolve: [
    ...OPERATORS,
    'ideation.kind',
    'population.map',
    'population.features',
    'population.bins',
    'population.initialisation',
    'population.islandCap',
    'selection.kind',
    'selection.rest',
    'migration.style',
    'prompt.style',
    'prompt.ancestors',
  ],
  'greedy-refine': [
    ...OPERATORS,
    ...PLACES,
    ...CONTEXT,
    'ideation.kind',
    'migration.topology',
    'selection.kind',
    'selection.pool',
    'prompt.style',
  ],
  'parallel-sampling': [
    ...OPERATORS,
    ...PLACES,
    ...CONTEXT,
    'ideation.kind',
    'migration.topology',
    'population.keepInitial',
    'selection.kind',
    'prompt.style',
    'prompt.feedback',
    'prompt.failure',
    'prompt.bestEver',
  ],
};

type Given = { readonly settings: RunSettings; readonly where: Whereabouts };

/** The layers without what the control takes from layers below its name, and a sentence for each dropped setting. */
export const withoutTaken = <L extends Given>(
  layers: readonly L[],
): { readonly layers: readonly L[]; readonly notes: readonly string[] } => {
  const namer = layers.findLastIndex(({ settings }) => settings.method !== undefined);
  const method = layers[namer]?.settings.method;
  const taken = method === undefined ? [] : (TAKEN[method] ?? []);
  // Layers from the first on that names this method, with no other named above it, speak of the control itself.
  const other = layers.findLastIndex(({ settings }) => settings.method !== undefined && settings.method !== method);
  const first = layers.findIndex(({ settings }, index) => index > other && settings.method === method);
  const notes: string[] = [];
  const left = layers.map((layer, index): L => {
    if (index >= first) return layer;
    const dropped = taken.filter((key) => valueAt(layer.settings, key.split('.')) !== undefined);
    if (dropped.length === 0) return layer;
    for (const key of dropped)
      notes.push(
        `${layer.where(key.split('.'))}: ${key} is not taken: method ${method} (${layers[first]!.where(['method'])}) decides it`,
      );
    return { ...layer, settings: without(layer.settings, dropped) };
  });
  return { layers: left, notes };
};

const without = (settings: RunSettings, keys: readonly string[]): RunSettings =>
  keys.reduce<RunSettings>((rest, key) => emptied(rest, key.split('.')) as RunSettings, settings);

const emptied = (settings: object, [head, ...tail]: readonly string[]): object => {
  const inner = (settings as Record<string, unknown>)[head!];
  return defined({ ...settings, [head!]: tail.length > 0 && isPlain(inner) ? emptied(inner, tail) : undefined });
};
