// A start object of a run that exists: the settings beside it are compared with those of the run, and a change of
// settings or limits is stored before the run goes on. A refusal changes nothing.
import { canonicalJson } from '../../evolution/canonical-json.ts';
import { ConfigError } from '../../evolution/config/config-error.ts';
import { isPlain, valueAt } from '../../evolution/config/layers.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { shown } from '../../evolution/config/shown.ts';
import { changedConfig, changeOf } from '../../evolution/methods/change.ts';
import { extend as extendVerb } from '../../evolution/steering/extend.ts';
import type { Body } from '../../evolution/steering/verbs.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { Json } from '../../evolution/types.ts';
import type { RunDocument } from '../store/documents/documents.ts';
import { newRunConfig } from './new-run-config.ts';
import { alreadyReached, reachedText } from './reached.ts';
import { changeSettings, type Changing } from './steering.ts';

/** Number of starts and rewinds that a run remembers; a reset by hand makes one of the last come again. */
const STARTS_KEPT = 50;
/** More keys that differ are only counted. */
const KEYS_SHOWN = 12;

/** The name of a start when it comes again: the update that asked for it, else its first execution. */
export const startKey = (start: string | undefined, by: string | undefined): string | null =>
  by === undefined ? (start ?? null) : `update:${by}`;

/** True where the run has obeyed this start before. */
export const isObeyed = ({ starts }: Pick<RunDocument, 'starts'>, key: string | null): boolean =>
  key !== null && starts.includes(key);

export const withStart = ({ starts }: Pick<RunDocument, 'starts'>, key: string): readonly string[] =>
  [...starts.filter((one) => one !== key), key].slice(-STARTS_KEPT);

/**
 * Throws a ConfigError that names every written key which has another value in the run. Keys that nobody wrote are not
 * compared, because defaults change from version to version.
 */
export const requireSameSettings = ({ run, config }: RunDocument, written: Json | RunConfig): void => {
  const { kind, name, baseUrl, price } = config.model;
  const complete = newRunConfig(written, {
    settings: { model: { kind, name, baseUrl, price } },
    where: () => `settings of run ${run}`,
  });
  const keys = differences(written, complete, config);
  if (keys.length === 0) return;
  const valueIn = (settings: RunConfig, key: string): string => shown(valueAt(settings, key.split('.')));
  const listed = keys
    .slice(0, KEYS_SHOWN)
    .map((key) => `${key} is ${valueIn(config, key)}, got ${valueIn(complete, key)}`);
  const more = keys.length > KEYS_SHOWN ? `; and ${keys.length - KEYS_SHOWN} more keys` : '';
  throw new ConfigError([
    `config: run ${run} exists with other settings: ${listed.join('; ')}${more}. ${ways(run, keys)}`,
  ]);
};

/** The dotted keys that were written and differ; entries of a list are compared by what was written of them. */
const differences = (
  written: unknown,
  complete: unknown,
  present: unknown,
  path: readonly string[] = [],
): readonly string[] => {
  if (isPlain(written) && isPlain(present))
    return Object.keys(written).flatMap((key) =>
      differences(written[key], valueAt(complete, [key]), valueAt(present, [key]), [...path, key]),
    );
  const same =
    Array.isArray(written) && Array.isArray(complete) && Array.isArray(present)
      ? present.length === written.length &&
        written.every((one, index) => differences(one, complete[index], present[index]).length === 0)
      : canonicalJson(complete ?? null) === canonicalJson(present ?? null);
  return same ? [] : [path.join('.')];
};

const ways = (run: string, keys: readonly string[]): string => {
  const as = `{"run": "${run}"} alone goes on with the settings that the run has`;
  const limits = keys.every((key) => key.startsWith('limits.')) ? ', or "extend" for limits' : '';
  return keys.some((key) => changeOf(key) === 'no')
    ? `${as}. Some of these settings hold for the life of a run: begin another run under another id, with "fork" where it is to go on from a step of this one`
    : `${as}, and "patch" in the place of "config" changes settings first${limits}. Under another id, "fork" begins another run from a step of this one`;
};

/**
 * Stores new settings or limits, once for a `key`. Throws ConfigError where they are refused, or end the run at once.
 */
export const applyChange = async (
  changing: Changing,
  { document, task, key }: { readonly document: RunDocument; readonly task: Task; readonly key: string | null },
  { extend, patch }: { readonly extend?: Json | undefined; readonly patch?: Json | undefined },
): Promise<void> => {
  const by = key ?? undefined;
  if (by !== undefined && document.changes.includes(by)) return;
  const change =
    extend === undefined ? patch && ({ kind: 'set', patch } as const) : extendVerb.change(extend as Body<'extend'>);
  if (!change) return;
  if (change.kind === 'extend') {
    const { limits } = changedConfig(document.config, change);
    const now = new Date();
    const reached = alreadyReached(document, limits, task.direction, now);
    if (reached !== null)
      throw new ConfigError([
        `extend: ${reachedText(document, reached, limits, now)}. Limits count from the start of the run: give more, or "add": true, which adds to the present limits`,
      ]);
  }
  await changeSettings(changing, document.run, change, by);
};
