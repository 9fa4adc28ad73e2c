// Several models: how entries are completed, what they need, how requests are drawn.
import { describe, expect, test } from 'vitest';
import { fileLayer } from '../../../evolution/config/sources.ts';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';
import { drawModel, modelPool } from '../../../evolution/models/ensemble.ts';
import { rng } from '../../../evolution/rng.ts';
import { configFrom } from '../../support/domain/asked-run.ts';
import { problemsOf as problems } from '../../support/domain/problems.ts';

const FIRST = 'model: {name: large, baseUrl: "http://a/v1/", temperature: 0.3, weight: 3, price: {in: 1, out: 2}}';
const from = (text: string) => resolveConfig([fileLayer('run.yaml', text)]).config;
const problemsOf = (text: string): readonly string[] => problems(() => from(text));

describe('entries of models', () => {
  test('take over from the first what they leave out, but for price and weight', () => {
    const { model, models } = from(
      `${FIRST}\nmodels: [{name: small, weight: 2, maxTokens: 100}, {name: other, baseUrl: "http://b/v1/"}]`,
    );
    expect(model.baseUrl).toBe('http://a/v1');
    expect(models[0]).toEqual({ ...model, name: 'small', weight: 2, maxTokens: 100, price: null });
    expect(models[1]).toEqual({ ...model, name: 'other', weight: 1, baseUrl: 'http://b/v1', price: null });
  });

  test('may be the offline model, beside a real one and the other way round', () => {
    expect(from(`${FIRST}\nmodels: [{name: offline}]`).models[0]).toMatchObject({
      kind: 'offline',
      baseUrl: null,
      temperature: 0.3,
      price: { in: 0, out: 0 },
    });
    expect(from('models: [{name: m, baseUrl: "http://a/v1"}]')).toMatchObject({
      model: { kind: 'offline' },
      models: [{ kind: 'openai', name: 'm', price: null }],
    });
  });

  test('a complete configuration with several is accepted as it is', () => {
    const config = from(
      `${FIRST}\nmodels: [{name: small}]\nprompt: {hints: [{text: be bold}, {island: 1, text: "no"}]}`,
    );
    expect(configFrom(config)).toEqual(config);
    expect(config.prompt.hints).toEqual([
      { island: null, text: 'be bold' },
      { island: 1, text: 'no' },
    ]);
  });
});

test.each([
  [`${FIRST}\nmodels: [{temperature: 1}]`, 'run.yaml:2:10: models.0.name: expected a model name, got nothing.'],
  [
    `${FIRST}\nmodels: [{name: m, temprature: 1}]`,
    'run.yaml:2:20: models.0.temprature: unknown key. Did you mean "temperature"?',
  ],
  [`${FIRST}\nmodels: [m]`, 'models.0: expected a mapping of settings (kind, baseUrl, name,', 'got "m"'],
  [`${FIRST}\nmodels: {name: m}`, 'models: expected a list of at most 20 models, each a mapping with name'],
  [
    `${FIRST}\nmodels: [${Array.from({ length: 21 }, (_, i) => `{name: m${i}}`).join(', ')}]`,
    'models: expected a list of at most 20 models',
  ],
  [`${FIRST}\nmodels: [{name: m}, {name: m}]`, 'run.yaml:2:22: models.1.name: expected a name of its own, got m'],
  [`${FIRST}\nmodels: [{name: large}]`, 'run.yaml:2:11: models.0.name: expected a name of its own, got large'],
  [
    'models: [{name: m}]',
    'run.yaml:1:11: models.0.baseUrl: expected the URL of an endpoint, got none: set models.0.baseUrl',
  ],
  [
    `${FIRST}\nlimits: {costUsd: 3}\nmodels: [{name: m}]`,
    'run.yaml:2:10: limits.costUsd: a limit on cost needs models.0.price (of m;',
  ],
  [`${FIRST}\nmodels: [{name: m, kind: offline}]`, 'models.0.name: the offline model is named offline, got m'],
  [`${FIRST}\nmodels: [{name: m, weight: 0}]`, 'models.0.weight: expected a number above 0, at most 1000000, got 0.'],
  [
    'prompt: {hints: [{island: 4, text: x}]}',
    'run.yaml:1:19: prompt.hints.0.island: expected an island from 0 to 3, or null for all, got 4',
  ],
  [
    'prompt: {hints: [{text: x}, {island: null, text: y}]}',
    'prompt.hints.1.island: expected one hint for all islands (null), got another',
  ],
  ['prompt: {hints: [{text: " "}]}', 'prompt.hints.0.text: expected a text of 1 to 2000 characters'],
  [`prompt: {hints: [{text: ${'x'.repeat(2001)}}]}`, 'prompt.hints.0.text: expected a text of 1 to 2000 characters'],
  [
    'limits: {steps: null, noImprovementPrograms: 100, targetScore: 2}',
    'limits.steps: a run needs an end that is sure to come',
  ],
])('%j is refused: %s', (text, ...parts) => {
  const problems = problemsOf(text);
  expect(problems).toHaveLength(1);
  for (const part of parts) expect(problems[0]).toContain(part);
});

test('requests go to the models in proportion to their weights, the same ones for the same stream', () => {
  const config = from(`${FIRST}\nmodels: [{name: small}]`);
  expect(modelPool(config).map(({ name }) => name)).toEqual(['large', 'small']);
  const drawn = Array.from(
    { length: 4_000 },
    (_, group) => drawModel(config, 'exploit', rng(1, 'model', 1, group)).name,
  );
  expect(Math.abs(drawn.filter((name) => name === 'large').length / drawn.length - 0.75)).toBeLessThan(0.02);
  expect(drawModel(config, 'exploit', rng(1, 'model', 1, 17)).name).toBe(drawn[17]);
});
