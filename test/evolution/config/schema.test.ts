// Settings that cannot be, and what people are told: file, line, column, key, expected, got, the nearest name.
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../evolution/config/config-error.ts';
import { fileLayer } from '../../../evolution/config/sources.ts';
import { completeSchema } from '../../../evolution/config/settings.ts';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';
import { configFrom } from '../../support/domain/asked-run.ts';
import { problemsOf as problems } from '../../support/domain/problems.ts';

const problemsOf = (text: string): readonly string[] => problems(() => resolveConfig([fileLayer('run.yaml', text)]));

const BAD: readonly (readonly [text: string, ...parts: string[]])[] = [
  ['batch: ten', 'run.yaml:1:1: batch: expected a whole number from 1 to 1000000, got "ten".'],
  ['limits: {steps: 1.5}', 'run.yaml:1:10: limits.steps: expected a whole number from 1 to 999999, got 1.5.'],
  ['batch: null', 'run.yaml:1:1: batch:', 'got null'],
  ['# size\npopulation:\n  island: 3', 'run.yaml:3:3: population.island: unknown key.', 'Did you mean "islands"?'],
  ['limts: {steps: 3}', 'run.yaml:1:1: limts: unknown key.', 'Did you mean "limits"?'],
  ['temperature: 1', 'temperature: unknown key.', 'Did you mean "model.temperature"?'],
  ['zzz: 1', 'zzz: unknown key. Expected one of method, task, instance, initial, seed,'],
  ['model: {apiKey: secret}', 'model.apiKey: unknown key. API keys are never settings: set OPENAI_API_KEY'],
  [
    'model: {name: m, baseUrl: "http://me:pass-1234@host/v1"}',
    'run.yaml:1:18: model.baseUrl: expected an http(s) URL without user name, password, ? and #',
    'got "http://***@host/v1"',
  ],
  [
    'embedding: {baseUrl: "http://host/v1?v=1&api_key=pass-1234"}',
    'run.yaml:1:13: embedding.baseUrl: expected an http(s) URL',
    'got "http://host/v1?v=1&api_key=***"',
  ],
  ['notify: {events: [ended], webhook: {url: "http://169.254.169.254/"}}', 'notify.webhook: unknown key.'],
  ['notify: {command: [/bin/sh]}', 'notify.command: unknown key.'],
  [
    'method: tetha',
    'method: expected one of theta, delta, research, openevolve, parallel-sampling, greedy-refine, static, shinkaevolve, code, naive, got "tetha".',
    'Did you mean "theta"?',
  ],
  [
    'population: {features: [score, size]}',
    'population.features.1: expected one of score, length, tree-size,',
    'got "size".',
  ],
  ['population: {features: [score, diversty]}', 'run.yaml:1:32: population.features.1:', 'Did you mean "diversity"?'],
  ['population: {features: []}', 'expected at least one feature, got an empty list'],
  [
    'population: {features: [score, {name: score}]}',
    'population.features.1.name: expected each feature once, got score again',
  ],
  [
    'population: {features: [{name: cpu, bin: 4}]}',
    'run.yaml:1:37: population.features.0.bin: unknown key.',
    'Did you mean "bins"?',
  ],
  [
    'population: {features: [{name: cpu, bins: 0}]}',
    'run.yaml:1:37: population.features.0.bins: expected a whole number from 1 to 1000, got 0.',
  ],
  [
    'population: {features: [{name: cpu, scale: logarithm}]}',
    'population.features.0.scale: expected one of linear, log, quantile, got "logarithm".',
  ],
  ['population: {features: [{name: cpu, min: 1}]}', 'population.features.0.min: expected both min and max, or neither'],
  [
    'population: {features: [{name: cpu, min: 2, max: 1}]}',
    'population.features.0.min: expected min < max, got min 2 and max 1',
  ],
  [
    'population: {features: [{name: cpu, scale: log, min: 0, max: 1}]}',
    'population.features.0.min: a logarithmic axis has no place for 0',
  ],
  [
    'population: {features: [{name: cpu, scale: quantile, min: 0, max: 1}]}',
    'population.features.0.min: bins of a quantile axis',
  ],
  ['population: {map: cvt, features: [{name: cpu, bins: 4}]}', 'population.features.0.bins: an axis of a tessellation'],
  ['population: {features: [score, embedding]}', 'population.features.1: the distance of embeddings needs a model'],
  ['embedding: {threshold: 0.99}', 'run.yaml:1:13: embedding.threshold: near-duplicates are found by embeddings'],
  [
    'embedding: {model: big}',
    'run.yaml:1:13: embedding.model: the offline model offers embeddings as offline only, got big',
  ],
  [
    'exploration: {schedule: plateau, min: 0.6}',
    'run.yaml:1:34: exploration.min: expected at most exploration.max (0.5), got 0.6',
  ],
  [
    'exploration: {metaPrompt: true}',
    'run.yaml:1:15: exploration.metaPrompt: prompts are edited by groups that explore',
  ],
  ['prompt: {style: task-only}', 'run.yaml:1:10: prompt.style: a prompt of style task-only shows the initial program'],
  [
    'population: {islands: 1}\nmigration: {topology: ring}',
    'run.yaml:2:13: migration.topology: a single island has no neighbours',
  ],
  [
    'population: {eviction: protect-elites, cap: 1000}',
    'run.yaml:1:14: population.eviction: protect-elites keeps the elites of all 4096 cells',
  ],
  [
    'population: {bins: 2}\nprompt: {diverse: 4}',
    'run.yaml:2:10: prompt.diverse: expected at most 3, for an archive has 4 cells',
  ],
  [
    'population: {cap: 4, archive: 4, islands: 2}\nprompt: {elites: 4}',
    'run.yaml:2:10: prompt.elites: expected fewer than population.cap (4), got 4',
  ],
  ['population: {map: none}\nselection: {pool: cells}', 'run.yaml:2:13: selection.pool: expected an archive of cells'],
  [
    'population: {map: none}\nprompt: {diverse: 2}',
    'run.yaml:2:10: prompt.diverse: diverse programs are elites of other cells',
  ],
  [
    'population: {initialisation: 100}',
    'run.yaml:1:14: population.initialisation: expected at most population.cap (70)',
  ],
  ['population: {bins: 0}', 'population.bins: expected a whole number from 1 to 1000, got 0.'],
  ['population: {islands: 0}', 'population.islands: expected a whole number from 1 to 1000, got 0.'],
  ['migration: {rate: 1.5}', 'migration.rate: expected a number from 0 to 1, got 1.5.'],
  ['selection: {exploration: -0.1}', 'selection.exploration: expected a number from 0 to 1, got -0.1.'],
  [
    'selection: {kind: rankk}',
    `selection.kind: expected one of ${completeSchema.shape.selection.shape.kind.options.join(', ')}, got "rankk".`,
    'Did you mean "rank"?',
  ],
  [
    'selection: {pool: everyone}',
    'selection.pool: expected one of island, cells, archive, population, got "everyone".',
  ],
  ['selection:\n  tournament: 0', 'run.yaml:2:3: selection.tournament: expected a whole number from 1 to 1000, got 0.'],
  ['selection:\n  alpha: -1', 'run.yaml:2:3: selection.alpha: expected a number from 0 to 100, got -1.'],
  ['migration: {topology: rings}', 'migration.topology: expected one of ring, directed-ring,', 'Did you mean "ring"?'],
  ['selection:\n  exploration: 0.7\n  exploitation: 0.6', 'run.yaml:3:3: selection.exploitation:', '0.7 + 0.6 = 1.3'],
  [
    'population:\n  cap: 100\n  archive: 200',
    'run.yaml:3:3: population.archive: expected at most population.cap (100), got 200',
  ],
  ['reward: {kind: shaped}', 'run.yaml:1:10: reward.lower: a shaped reward needs both bounds: set reward.lower.'],
  ['reward: {kind: shaped, lower: 3, upper: 2}', 'reward.lower: expected lower < upper, got lower 3 and upper 2.'],
  [
    'batch: 4\nresponses: 2\nlimits: {programs: 3}',
    "run.yaml:3:10: limits.programs: expected at least one step's programs (batch 4 * responses 2 = 8), got 3",
  ],
  ['batch: 1000\nresponses: 1001', 'run.yaml:1:1: batch: a step would make batch * responses = 1001000 programs'],
  ['limits: {steps: null}', 'run.yaml:1:10: limits.steps: a run needs an end'],
  [
    'model: {name: m, baseUrl: "http://x/v1"}\nlimits: {costUsd: 2}',
    'run.yaml:2:10: limits.costUsd: a limit on cost needs model.price',
  ],
  ['model: {baseUrl: "http://x/v1"}', "model.name: a model's name is missing: set EVOLVE_MODEL or --model"],
  ['model: {name: m}', 'model.baseUrl: expected the URL of an endpoint, got none: set OPENAI_BASE_URL'],
  ['model: {kind: offline, baseUrl: "http://x"}', 'model.baseUrl: the offline model has no address'],
  ['model: {name: m, baseUrl: "x"}', 'model.baseUrl: expected an http(s) URL'],
  ['limits: [1]', 'limits: expected a mapping of settings (steps, programs,', 'got a list ([1])'],
  ['- 1', 'run.yaml:1:1: expected a mapping of settings, got a list ([1]).'],
  [' \n', 'run.yaml:1:1: the file is empty'],
  ['a: [1\nb: 2', 'run.yaml:2:1: not valid YAML or JSON:'],
  ['{"batch": 1,', 'run.yaml:1:13: not valid YAML or JSON:'],
  ['batch: 1\nbatch: 2', 'run.yaml:2:1: batch: this key stands here twice.'],
  ['\u0000\u0001\u0002', 'run.yaml:1:1:'],
  ['seed: .inf', 'run.yaml:1:7: seed: expected a finite number, got .inf.'],
  ['task: My Task', 'task: expected the name of a folder in tasks/, or the path of a folder of a task, got "My Task".'],
];

describe('bad settings', () => {
  test.each(BAD)('%j is refused: %s', (text, ...parts) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    for (const part of parts) expect(problems[0]).toContain(part);
  });

  test('all problems are listed, in the order of the file', () => {
    const problems = problemsOf('seed: x\nbatch: 0\npopulation:\n  bins: 0\n  cap: 1\n');
    expect(problems.map((problem) => problem.split(': ')[1])).toEqual([
      'seed',
      'batch',
      'population.bins',
      'population.cap',
    ]);
    expect(new ConfigError(problems).message).toMatch(/^4 problems in the configuration:\n {2}run.yaml:1:1: seed/);
  });

  test('a password in a URL is not repeated', () => {
    expect(problemsOf('model: {name: m, baseUrl: "http://me:pass@x/v1"}')[0]).not.toContain('pass@');
  });
});

describe('a complete configuration', () => {
  const { config } = resolveConfig([]);
  const resolved = (settings: unknown) => configFrom(settings);
  test('is accepted as it is', () => expect(resolved(config)).toEqual(config));
  test('that cannot work is refused', () => {
    expect(() => resolved({ ...config, selection: { ...config.selection, exploration: 1, exploitation: 1 } })).toThrow(
      /selection.exploitation/,
    );
  });
});
