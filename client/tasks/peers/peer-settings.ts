// The settings file of another system as settings of a run, with a list of what has no counterpart.
import { parseDocument } from 'yaml';
import { merge } from '../../../evolution/config/layers.ts';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';
import type { PeerFiles, PeerTask } from './formats.ts';

/** By the key of OpenEvolve and SkyDiscover, or of CodeEvolve. */
const COUNTERPARTS: { readonly [key: string]: string } = {
  max_iterations: 'limits.programs',
  random_seed: 'seed',
  'llm.temperature': 'model.temperature',
  'llm.top_p': 'model.topP',
  'llm.max_tokens': 'model.maxTokens',
  'llm.timeout': 'model.timeoutSeconds',
  'database.population_size': 'population.cap',
  'database.archive_size': 'population.archive',
  'database.num_islands': 'population.islands',
  'database.migration_interval': 'migration.interval',
  'database.exploration_ratio': 'selection.exploration',
  'database.exploitation_ratio': 'selection.exploitation',
  'database.elite_selection_ratio': 'prompt.eliteRatio',
  max_code_length: 'diff.maxCodeChars',
  diff_based_evolution: 'diff.accept',
  'prompt.num_top_programs': 'prompt.elites',
  'prompt.num_diverse_programs': 'prompt.diverse',
  'EVOLVE_CONFIG.num_islands': 'population.islands',
  'EVOLVE_CONFIG.migration_interval': 'migration.interval',
};
const valueOf = (key: string, value: unknown): unknown =>
  key === 'diff_based_evolution' ? (value === false ? 'program' : 'edits') : value;
/** What the task itself is made of. */
const TAKEN =
  /^(?:variables\.|prompt\.system_message|evaluator\.(?:timeout|cascade_\w+)|SYS_MSG|EVAL_TIMEOUT|EVOLVE_CONFIG\.fitness_key)/;

type Mapping = { readonly [key: string]: unknown };
const mapping = (value: unknown): value is Mapping =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const leaves = (value: Mapping, before = ''): readonly (readonly [string, unknown])[] =>
  Object.entries(value).flatMap(([key, inner]) =>
    mapping(inner) ? leaves(inner, `${before}${key}.`) : [[`${before}${key}`, inner] as const],
  );

export type PeerSettings = {
  readonly message: string | null;
  readonly seconds: number | null;
  /** The name of the score, where the settings say it. */
  readonly score: string | null;
  /** The scores from which its stages go on; null where it calls none. */
  readonly thresholds: readonly number[] | null;
  readonly run: object;
  /** What ThetaEvolve gives the problem's own modules. */
  readonly variables: unknown;
  readonly unsupported: readonly string[];
};

const readIn = (text: string, config: string, unsupported: string[]): Mapping => {
  try {
    const read: unknown = parseDocument(text, { uniqueKeys: false }).toJS();
    return mapping(read) ? read : {};
  } catch (error) {
    unsupported.push(`${config}: ${(error as Error).message}`);
    return {};
  }
};

/** What others write is read as far as it can be. */
export const peerSettings = (files: PeerFiles, { config, method, message = null, seconds }: PeerTask): PeerSettings => {
  const unsupported: string[] = [];
  const whole = config === null ? {} : readIn(files.text(config), config, unsupported);
  const all = new Map(leaves(whole));
  const text = (key: string): string | null => (typeof all.get(key) === 'string' ? (all.get(key) as string) : null);
  let run: object = { method };
  const left = new Set([...all.keys()].filter((key) => !TAKEN.test(key)));
  // What fits only beside a setting that comes later is tried once more.
  for (const key of [...left, ...left]) {
    const ours = left.has(key) && Object.hasOwn(COUNTERPARTS, key) ? COUNTERPARTS[key]! : null;
    const next = ours === null ? null : merge(run, nested(ours.split('.'), valueOf(key, all.get(key))));
    if (next === null || !isFitting(next)) continue;
    run = next;
    left.delete(key);
  }
  const timeout = Number(all.get('evaluator.timeout') ?? all.get('EVAL_TIMEOUT') ?? seconds);
  return {
    message: message ?? text('prompt.system_message') ?? heaviest(all) ?? text('SYS_MSG'),
    seconds: timeout > 0 && timeout <= 86_400 ? timeout : null,
    score: text('EVOLVE_CONFIG.fitness_key'),
    thresholds: all.get('evaluator.cascade_evaluation') === false ? null : thresholdsOf(all),
    run,
    variables: whole['variables'] ?? {},
    unsupported: [...unsupported, ...left],
  };
};

/** Those of OpenEvolve where the settings name none. */
const THRESHOLDS = [0.5, 0.75, 0.9];

const thresholdsOf = (all: ReadonlyMap<string, unknown>): readonly number[] => {
  const given = all.get('evaluator.cascade_thresholds');
  return Array.isArray(given) && given.every((one) => typeof one === 'number') ? given : THRESHOLDS;
};

/** ThetaEvolve draws one of several messages, in which names in braces stand for variables. */
const heaviest = (all: ReadonlyMap<string, unknown>): string | null => {
  const listed = all.get('prompt.system_message_list');
  const messages = (Array.isArray(listed) ? listed : []).filter(mapping);
  const [most] = messages.toSorted((a, b) => Number(b['weight'] ?? 0) - Number(a['weight'] ?? 0));
  if (typeof most?.['message'] !== 'string') return null;
  return most['message'].replaceAll(/\{([\w.]+)\}/g, (whole, name: string) =>
    String(all.get(`variables.${name}`) ?? whole),
  );
};

const nested = ([key, ...rest]: readonly string[], value: unknown): object => ({
  [key!]: rest.length === 0 ? value : nested(rest, value),
});

const isFitting = (settings: object): boolean => {
  try {
    resolveConfig([{ settings, where: () => '' }]);
    return true;
  } catch {
    return false;
  }
};
