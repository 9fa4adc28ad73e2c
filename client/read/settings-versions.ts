// The versions of a run's settings and what each changed.
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { type Person, senderOf } from '../../evolution/steering/base/people.ts';
import { changedKeys } from '../../evolution/config/layers.ts';

/**
 * `changed` lists the dotted keys that differ from the version before. The first version has none. `by` is left out where
 * it is not known.
 */
export type SettingsVersion = { readonly version: number; readonly changed: readonly string[]; readonly by?: Person };

/** All versions of the settings, the first one first. */
export const everySettings = (
  store: Pick<Store, 'readConfig'>,
  { run, configVersion }: Pick<RunDocument, 'run' | 'configVersion'>,
): Promise<readonly RunConfig[]> =>
  Promise.all(Array.from({ length: configVersion }, (_, version) => store.readConfig(run, version + 1)));

export const settingsVersions = async (store: Store, run: RunDocument): Promise<readonly SettingsVersion[]> => {
  const actions = await store.listActions(run.run);
  const messages = new Map(run.happened.flatMap((one) => ('version' in one ? [[one.version, one.by] as const] : [])));
  return (await everySettings(store, run)).map((config, index, all) => ({
    version: index + 1,
    changed: index === 0 ? [] : changedKeys(all[index - 1], config),
    ...senderOf(messages.get(index + 1), actions),
  }));
};
