// The settings that endpoints refuse for their models. What the request before a run's start finds is kept in a file of
// the data directory, so that the run does not meet the refusals again.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Setting } from '../../../evolution/models/refusals.ts';
import { writeWhole } from '../../whole-file.ts';
import { fieldsOf } from '../transport/numbers.ts';

/** By address and model. */
type Kept = Readonly<Record<string, readonly Setting[]>>;

const fileOf = (home: string): string => join(home, 'refused-settings.json');

/** A file that cannot be read says nothing: the refusals are met again. */
const keptIn = (home: string): Kept => {
  try {
    return fieldsOf(JSON.parse(readFileSync(fileOf(home), 'utf8'))) as Kept;
  } catch {
    return {};
  }
};

/** In place of what was known of these models. */
export const keepRefused = (home: string, found: Kept): void => {
  const kept = keptIn(home);
  const now = Object.fromEntries(Object.entries({ ...kept, ...found }).filter(([, settings]) => settings.length > 0));
  // Addresses may hold what is nobody else's matter.
  if (JSON.stringify(now) !== JSON.stringify(kept)) writeWhole(fileOf(home), JSON.stringify(now, null, 2), 0o600);
};

/** The settings that an endpoint refuses, by model: those that are kept, and those that this process finds. */
export class RefusedSettings extends Map<string, ReadonlySet<Setting>> {
  readonly #home: string;
  readonly #baseUrl: string;

  constructor(home: string, baseUrl: string) {
    super();
    this.#home = home;
    this.#baseUrl = baseUrl;
  }

  override get(model: string): ReadonlySet<Setting> {
    return new Set([...(keptIn(this.#home)[`${this.#baseUrl} ${model}`] ?? []), ...(super.get(model) ?? [])]);
  }
}
