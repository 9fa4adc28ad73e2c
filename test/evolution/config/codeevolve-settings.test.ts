// The files of experiments/codeevolve/settings: Table 8 of CodeEvolve and the variants of its experiments.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fileLayer } from '../../../evolution/config/sources.ts';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';

const FOLDER = fileURLToPath(new URL('../../../experiments/codeevolve/settings/', import.meta.url));
const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.slice(0, -'.yaml'.length))
  .sort();
const configOf = (name: string) => {
  const environment = {
    settings: { model: { kind: 'openai', baseUrl: 'http://127.0.0.1:1/v1', name: 'm' } },
    where: () => 'environment',
  };
  return resolveConfig([environment, fileLayer(`${name}.yaml`, readFileSync(`${FOLDER}${name}.yaml`, 'utf8'))]).config;
};

/** Islands, epochs, k, inspirations, seconds. */
const TABLE: { readonly [name: string]: readonly [number, number, number | null, number, number] } = {
  'square-26': [10, 250, 5, 2, 60],
  'square-32': [10, 100, 5, 2, 60],
  'rect-21': [5, 200, 5, 2, 60],
  'hex-minmax-16': [5, 200, null, 3, 180],
  'minmax-14': [10, 100, null, 3, 360],
  first: [10, 500, 5, 3, 360],
  second: [10, 900, 5, 3, 60],
  'hex-minmax-16-e': [5, 200, null, 3, 180],
  'minmax-14-e': [10, 100, null, 3, 360],
  'first-e': [10, 300, 2, 3, 60],
  'second-e': [8, 500, 5, 3, 360],
  'obpp-e': [10, 154, 3, 2, 30],
  'tsp-e': [10, 152, 3, 2, 60],
  'fssp-e': [10, 152, 3, 2, 120],
};

describe('experiments/codeevolve/settings', () => {
  it('has a file for each row and variant', () => {
    expect(names).toEqual(Object.keys(TABLE).sort());
  });

  it.each(names)('%s is what experiments/codeevolve/settings says, and can be run', (name) => {
    const { method, batch, responses, limits, population, prompt, evaluation } = configOf(name);
    const [islands, epochs, ancestors, inspirations, seconds] = TABLE[name]!;
    expect({
      method,
      batch,
      responses,
      epochs: limits.steps,
      islands: population.islands,
      ancestors: prompt.ancestors,
      inspirations: prompt.inspirations,
      seconds: evaluation.cpuSeconds,
    }).toEqual({ method: 'code', batch: islands, responses: 1, epochs, islands, ancestors, inspirations, seconds });
    expect(readFileSync(`${FOLDER}README.md`, 'utf8')).toContain(`| \`${name}.yaml\` | `);
  });
});
