// What to say of a run's weights before it begins: once for each ensemble whose weights somebody set and that do not sum to 1. Called by preflight.
import { modelPool, modelsFor } from '../config/models.ts';
import type { RunConfig } from '../config/run-config.ts';
import type { Role } from '../types.ts';
import { sharesOf } from './ensemble.ts';

const ROLES: readonly Role[] = ['exploit', 'explore', 'meta', 'idea', 'judge', 'repair'];

/** Weights that nobody set are all 1: then there is nothing to say. */
export const weightNotes = (config: Pick<RunConfig, 'model' | 'models' | 'modelChoice'>): readonly string[] => {
  if (modelPool(config).every(({ weight }) => weight === 1)) return [];
  const ensembles = new Map<string, { readonly roles: Role[]; readonly pool: ReturnType<typeof modelsFor> }>();
  for (const role of ROLES) {
    const pool = modelsFor(config, role);
    if (pool.length < 2) continue;
    const key = JSON.stringify(pool.map(({ name }) => name));
    const known = ensembles.get(key);
    if (known === undefined) ensembles.set(key, { roles: [role], pool });
    else known.roles.push(role);
  }
  const notes = [...ensembles.values()].flatMap(({ roles, pool }) => {
    const shares = sharesOf(pool, `models (${roles.join(', ')})`);
    return shares.kind === 'invalid' ? [shares.message] : shares.note ?? [];
  });
  return config.modelChoice === 'bandit' && notes.length > 0 ? [...notes, 'modelChoice is bandit: weights decide of ideas, judgements and edited prompts only'] : notes;
};
