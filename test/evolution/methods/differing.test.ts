// Which settings of a run are not those of its method's preset.
import { expect, it } from 'vitest';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';
import { differingSettings } from '../../../evolution/methods/differing.ts';

const differing = (settings: object) => differingSettings(resolveConfig([{ settings, where: () => 'a test' }]).config);

it('names what was set and not what follows from task, method, models, seed and limits', () => {
  expect(differing({})).toEqual({ named: [], more: 0 });
  const model = { name: 'm', baseUrl: 'http://127.0.0.1:1/v1' };
  expect(differing({ method: 'delta', seed: 7, limits: { programs: 9 }, model })).toEqual({ named: [], more: 0 });
  expect(
    differing({ batch: 3, diff: { maxCodeChars: 900 }, model: { ...model, temperature: 0.25 }, limits: { steps: 5 } }),
  ).toEqual({ named: ['batch 3', 'diff.maxCodeChars 900', 'model.temperature 0.25'], more: 0 });
});

it('is short: lists and long values by their key alone, and the rest as a number', () => {
  const { config } = resolveConfig([{ settings: {}, where: () => 'a test' }]);
  const prompt = { ...config.prompt, hints: [{ island: 0, text: 'try hexagons' }] };
  expect(differingSettings({ ...config, instance: 'x'.repeat(90), prompt })).toEqual({
    named: ['instance', 'prompt.hints'],
    more: 0,
  });
  const halved = Object.fromEntries(
    Object.entries(config.population).map(([key, value]) => [key, typeof value === 'number' ? value / 2 : 'another']),
  );
  const { named, more } = differingSettings({ ...config, population: halved as never });
  expect(named).toHaveLength(12);
  expect(named.length + more).toBe(Object.keys(halved).length);
});
