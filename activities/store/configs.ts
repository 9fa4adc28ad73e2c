// The settings of a run by version: the newest is in the run document, those that were replaced are in `events`. Called by open-store.ts.
import { completeStored } from '../../evolution/config/stored.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { RunId } from '../../evolution/types.ts';
import { configId, requireRun } from './run-documents.ts';
import type { Collections } from './stored.ts';

export type ReadConfig = (run: RunId, version: number) => Promise<RunConfig>;

const KEPT = 200;

/** A version never changes, so it is read once a process; calls at the same time share the read. */
export const configsIn = (collections: Pick<Collections, 'runs' | 'events'>): ReadConfig => {
  const kept = new Map<string, Promise<RunConfig>>();
  return (run, version) => {
    const key = configId(run, version);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const reading = readVersion(collections, run, version);
    reading.catch(() => kept.delete(key));
    kept.set(key, reading);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
    return reading;
  };
};

const readVersion = async ({ runs, events }: Pick<Collections, 'runs' | 'events'>, run: RunId, version: number): Promise<RunConfig> => {
  const { config, configVersion } = await requireRun({ runs }, run);
  if (configVersion === version) return config;
  const replaced = await events.get(configId(run, version));
  if (replaced === null) throw new RangeError(`expected settings of run '${run}' from version 1 to ${configVersion}, its newest, but version ${version} was asked for and is not stored`);
  return completeStored(replaced.config);
};
