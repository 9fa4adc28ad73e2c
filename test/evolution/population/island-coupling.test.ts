// Which settings tie islands together between migrations, and which groups an island has.
import { describe, expect, it } from 'vitest';
import type { RunSettings } from '../../../evolution/config/settings.ts';
import { groupsOn, couplingsOf, windowInterval } from '../../../evolution/population/island-coupling.ts';
import { configFrom } from '../../support/domain/asked-run.ts';

const configOf = (settings: RunSettings) => configFrom(settings);

describe('islands', () => {
  it('of code are independent between migrations; those of the other methods wait for each other', () => {
    expect([couplingsOf(configOf({ method: 'code' })), windowInterval(configOf({ method: 'code' }))]).toEqual([[], 25]);
    expect(windowInterval(configOf({ method: 'code', population: { islandSync: 'epoch' } }))).toBeNull();
    for (const method of ['naive', 'theta', 'delta', 'research', 'openevolve', 'greedy-refine'] as const)
      expect(windowInterval(configOf({ method }))).toBeNull();
  });

  it.each([
    ['migration.unit', { migration: { unit: 'children' } }],
    ['batch', { batch: 7 }],
    ['population.grid', { population: { grid: 'global', bounds: 'run' } }],
    ['population.features', { population: { features: [{ name: 'score', scale: 'quantile', bins: 4 }] } }],
    ['selection.pool', { selection: { pool: 'archive' } }],
    ['prompt.draw', { prompt: { draw: 'random' } }],
    ['prompt.scope', { prompt: { scope: 'run', elites: 1 } }],
    ['modelChoice', { modelChoice: 'bandit' }],
    ['population.samplingIsland', { population: { samplingIsland: 'current' } }],
    ['embedding.scope', { embedding: { model: 'offline', scope: 'population', threshold: 0.9 } }],
    ['embedding.model', { embedding: { model: 'offline' }, population: { features: ['diversity', 'score'] } }],
  ] satisfies readonly (readonly [string, RunSettings])[])('are tied by %s', (key, settings) => {
    const config = configOf({ method: 'code', ...settings });
    expect(couplingsOf(config)).toContain(key);
    expect(windowInterval(config)).toBeNull();
  });

  it.each([
    { embedding: { model: 'offline', scope: 'island', threshold: 0.9 } },
    { prompt: { style: 'delta' }, delta: { missing: 'repair' } },
  ] satisfies readonly RunSettings[])('are not tied by %j', (settings) => {
    expect(couplingsOf(configOf({ method: 'code', ...settings }))).toEqual([]);
  });

  it('share the groups of a step out: each group to one island', () => {
    const config = { batch: 6, population: { islands: 3 } };
    expect([0, 1, 2].map((island) => groupsOn(island, 5, config))).toEqual([
      [0, 3],
      [1, 4],
      [2, 5],
    ]);
  });
});
