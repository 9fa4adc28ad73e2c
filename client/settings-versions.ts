// The versions of a run's settings and what each changed.
import type { RunDocument } from '../activities/store/documents.ts';
import type { Store } from '../activities/store/store.ts';
import type { RunConfig } from '../evolution/config/run-config.ts';
import { changedKeys } from '../evolution/config/changed-keys.ts';

/** `changed` lists the dotted keys that differ from the version before. The first version has none. */
export type SettingsVersion = { readonly version: number; readonly changed: readonly string[] };

const FIRST_VERSION = 1;

export const settingsVersions = async (
  store: Store,
  { run, configVersion }: RunDocument,
): Promise<readonly SettingsVersion[]> => {
  const versions: SettingsVersion[] = [];
  let before: RunConfig | null = null;
  for (let version = FIRST_VERSION; version <= configVersion; version += 1) {
    const config = await store.readConfig(run, version);
    versions.push({ version, changed: before === null ? [] : changedKeys(before, config) });
    before = config;
  }
  return versions;
};
