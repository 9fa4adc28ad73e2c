// Measured features of programs, as the commit takes them from stored evaluations, codes and embeddings.
import { expect, it } from 'vitest';
import { measuredValues } from '../../../../activities/step/commit/measured.ts';
import type { PopulationSettings } from '../../../../evolution/config/run-config.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';
import { config, evaluation } from '../../store/fixtures.ts';

const CODE = 'def f(x):\n    return x + 1\n';
const settings = (population: Partial<PopulationSettings>) => ({
  ...config(),
  population: { ...config().population, ...population },
});

const measured = async (
  population: Partial<PopulationSettings>,
  found: object = {},
  distance: number | null = null,
) => {
  const store = memoryStore();
  const [code] = await store.putTexts([CODE]);
  const program = { id: 'p', code: code!, evaluation: { ...evaluation('r', 1, 0), ...found }, distance };
  return (await measuredValues(store, settings(population), [], [program])).get('p') ?? null;
};

it('one value a feature in their order, null for what a member has anyway', async () => {
  const features = ['score', 'tree-size', 'cpu', 'wall', 'metric:gap', 'metric:ok', 'embedding', 'length'] as const;
  const values = await measured({ features }, { cpuMs: 1500, wallMs: 2250, metrics: { gap: 0.25, ok: true } }, 0.125);
  expect(values).toEqual([null, expect.any(Number), 1.5, 2.25, 0.25, 1, 0.125, null]);
});

it('what is missing, no number or not finite is null', async () => {
  const features = ['cpu', 'metric:gap', 'metric:name', 'metric:none', 'embedding'] as const;
  expect(await measured({ features }, { cpuMs: null, metrics: { gap: Number.NaN, name: 'x' } })).toEqual([
    null,
    null,
    null,
    null,
    null,
  ]);
});

it('diversity without references is 0; nothing is measured where nobody asks', async () => {
  expect(await measured({ features: ['diversity'] })).toEqual([0]);
  expect(await measured({ features: ['score', 'length'] })).toBeNull();
  expect(await measured({ map: 'queue', features: ['cpu'] })).toBeNull();
});
