// Settings that cannot be, and what people are told: file, line, column, key, expected, got, the nearest name.
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../evolution/config/config-error.ts';
import { fileLayer } from '../../../evolution/config/sources.ts';
import { completeSchema } from '../../../evolution/config/settings.ts';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';

const problemsOf = (text: string): readonly string[] => {
  try {
    resolveConfig([fileLayer('run.yaml', text)]);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

const BAD: readonly (readonly [name: string, text: string, ...parts: string[]])[] = [
  ['a wrong type', 'batch: ten', 'run.yaml:1:1: batch: expected a whole number from 1 to 1000000, got "ten".'],
  [
    'a fraction',
    'limits: {steps: 1.5}',
    'run.yaml:1:10: limits.steps: expected a whole number from 1 to 999999, got 1.5.',
  ],
  ['null where a value is needed', 'batch: null', 'run.yaml:1:1: batch:', 'got null'],
  [
    'an unknown key',
    '# size\npopulation:\n  island: 3',
    'run.yaml:3:3: population.island: unknown key.',
    'Did you mean "islands"?',
  ],
  ['an unknown section', 'limts: {steps: 3}', 'run.yaml:1:1: limts: unknown key.', 'Did you mean "limits"?'],
  ['a key that lives elsewhere', 'temperature: 1', 'temperature: unknown key.', 'Did you mean "model.temperature"?'],
  ['a hopeless key', 'zzz: 1', 'zzz: unknown key. Expected one of method, task, instance, initial, seed,'],
  [
    'an API key',
    'model: {apiKey: secret}',
    'model.apiKey: unknown key. API keys are never settings: set OPENAI_API_KEY',
  ],
  [
    'a password in an address',
    'model: {name: m, baseUrl: "http://me:pass-1234@host/v1"}',
    'run.yaml:1:18: model.baseUrl: expected an http(s) URL without user name, password, ? and #',
    'got "http://***@host/v1"',
  ],
  [
    'a key in an address',
    'embedding: {baseUrl: "http://host/v1?v=1&api_key=pass-1234"}',
    'run.yaml:1:13: embedding.baseUrl: expected an http(s) URL',
    'got "http://host/v1?v=1&api_key=***"',
  ],
  [
    'an address for notices',
    'notify: {events: [ended], webhook: {url: "http://169.254.169.254/"}}',
    'notify.webhook: unknown key.',
  ],
  ['a program for notices', 'notify: {command: [/bin/sh]}', 'notify.command: unknown key.'],
  [
    'an unknown method',
    'method: tetha',
    'method: expected one of theta, delta, research, openevolve, parallel-sampling, greedy-refine, static, shinkaevolve, code, naive, got "tetha".',
    'Did you mean "theta"?',
  ],
  [
    'a value outside a list',
    'population: {features: [score, size]}',
    'population.features.1: expected one of score, length, tree-size,',
    'got "size".',
  ],
  [
    'a misspelt feature',
    'population: {features: [score, diversty]}',
    'run.yaml:1:32: population.features.1:',
    'Did you mean "diversity"?',
  ],
  ['no axis', 'population: {features: []}', 'expected at least one feature, got an empty list'],
  [
    'an axis twice',
    'population: {features: [score, {name: score}]}',
    'population.features.1.name: expected each feature once, got score again',
  ],
  [
    'an unknown key of a feature',
    'population: {features: [{name: cpu, bin: 4}]}',
    'run.yaml:1:37: population.features.0.bin: unknown key.',
    'Did you mean "bins"?',
  ],
  [
    'a feature without bins',
    'population: {features: [{name: cpu, bins: 0}]}',
    'run.yaml:1:37: population.features.0.bins: expected a whole number from 1 to 1000, got 0.',
  ],
  [
    'an unknown scale',
    'population: {features: [{name: cpu, scale: logarithm}]}',
    'population.features.0.scale: expected one of linear, log, quantile, got "logarithm".',
  ],
  [
    'half of the bounds',
    'population: {features: [{name: cpu, min: 1}]}',
    'population.features.0.min: expected both min and max, or neither',
  ],
  [
    'bounds crossed',
    'population: {features: [{name: cpu, min: 2, max: 1}]}',
    'population.features.0.min: expected min < max, got min 2 and max 1',
  ],
  [
    'a logarithm of nothing',
    'population: {features: [{name: cpu, scale: log, min: 0, max: 1}]}',
    'population.features.0.min: a logarithmic axis has no place for 0',
  ],
  [
    'bounds of quantiles',
    'population: {features: [{name: cpu, scale: quantile, min: 0, max: 1}]}',
    'population.features.0.min: bins of a quantile axis',
  ],
  [
    'bins of a tessellation',
    'population: {map: cvt, features: [{name: cpu, bins: 4}]}',
    'population.features.0.bins: an axis of a tessellation',
  ],
  [
    'the distance of no embeddings',
    'population: {features: [score, embedding]}',
    'population.features.1: the distance of embeddings needs a model',
  ],
  [
    'a threshold of no embeddings',
    'embedding: {threshold: 0.99}',
    'run.yaml:1:13: embedding.threshold: near-duplicates are found by embeddings',
  ],
  [
    'an embedding model nowhere',
    'embedding: {model: big}',
    'run.yaml:1:13: embedding.model: the offline model offers embeddings as offline only, got big',
  ],
  [
    'bounds of exploration crossed',
    'exploration: {schedule: plateau, min: 0.6}',
    'run.yaml:1:34: exploration.min: expected at most exploration.max (0.5), got 0.6',
  ],
  [
    'prompts edited by nobody',
    'exploration: {metaPrompt: true}',
    'run.yaml:1:15: exploration.metaPrompt: prompts are edited by groups that explore',
  ],
  [
    'edits of a program that is not shown',
    'prompt: {style: task-only}',
    'run.yaml:1:10: prompt.style: a prompt of style task-only shows the initial program',
  ],
  [
    'a topology of one island',
    'population: {islands: 1}\nmigration: {topology: ring}',
    'run.yaml:2:13: migration.topology: a single island has no neighbours',
  ],
  [
    'more elites than the cap',
    'population: {eviction: protect-elites, cap: 1000}',
    'run.yaml:1:14: population.eviction: protect-elites keeps the elites of all 4096 cells',
  ],
  [
    'more diverse programs than cells',
    'population: {bins: 2}\nprompt: {diverse: 4}',
    'run.yaml:2:10: prompt.diverse: expected at most 3, for an archive has 4 cells',
  ],
  [
    'more elites than programs',
    'population: {cap: 4, archive: 4, islands: 2}\nprompt: {elites: 4}',
    'run.yaml:2:10: prompt.elites: expected fewer than population.cap (4), got 4',
  ],
  [
    'cells to draw from without any',
    'population: {map: none}\nselection: {pool: cells}',
    'run.yaml:2:13: selection.pool: expected an archive of cells',
  ],
  [
    'diverse programs without cells',
    'population: {map: none}\nprompt: {diverse: 2}',
    'run.yaml:2:10: prompt.diverse: diverse programs are elites of other cells',
  ],
  [
    'more seed programs than programs',
    'population: {initialisation: 100}',
    'run.yaml:1:14: population.initialisation: expected at most population.cap (70)',
  ],
  ['no bins', 'population: {bins: 0}', 'population.bins: expected a whole number from 1 to 1000, got 0.'],
  ['no islands', 'population: {islands: 0}', 'population.islands: expected a whole number from 1 to 1000, got 0.'],
  ['a migration rate above one', 'migration: {rate: 1.5}', 'migration.rate: expected a number from 0 to 1, got 1.5.'],
  [
    'a negative weight',
    'selection: {exploration: -0.1}',
    'selection.exploration: expected a number from 0 to 1, got -0.1.',
  ],
  [
    'an unknown kind of selection',
    'selection: {kind: rankk}',
    `selection.kind: expected one of ${completeSchema.shape.selection.shape.kind.options.join(', ')}, got "rankk".`,
    'Did you mean "rank"?',
  ],
  [
    'an unknown pool',
    'selection: {pool: everyone}',
    'selection.pool: expected one of island, cells, archive, population, got "everyone".',
  ],
  [
    'a tournament of nobody',
    'selection:\n  tournament: 0',
    'run.yaml:2:3: selection.tournament: expected a whole number from 1 to 1000, got 0.',
  ],
  [
    'a negative exponent',
    'selection:\n  alpha: -1',
    'run.yaml:2:3: selection.alpha: expected a number from 0 to 100, got -1.',
  ],
  [
    'an unknown topology',
    'migration: {topology: rings}',
    'migration.topology: expected one of ring, directed-ring,',
    'Did you mean "ring"?',
  ],
  [
    'shares above one',
    'selection:\n  exploration: 0.7\n  exploitation: 0.6',
    'run.yaml:3:3: selection.exploitation:',
    '0.7 + 0.6 = 1.3',
  ],
  [
    'an archive above the cap',
    'population:\n  cap: 100\n  archive: 200',
    'run.yaml:3:3: population.archive: expected at most population.cap (100), got 200',
  ],
  [
    'a shaped reward without bounds',
    'reward: {kind: shaped}',
    'run.yaml:1:10: reward.lower: a shaped reward needs both bounds: set reward.lower.',
  ],
  [
    'a shaped reward with bounds crossed',
    'reward: {kind: shaped, lower: 3, upper: 2}',
    'reward.lower: expected lower < upper, got lower 3 and upper 2.',
  ],
  [
    'a step larger than the run',
    'batch: 4\nresponses: 2\nlimits: {programs: 3}',
    "run.yaml:3:10: limits.programs: expected at least one step's programs (batch 4 * responses 2 = 8), got 3",
  ],
  [
    'a step larger than ids',
    'batch: 1000\nresponses: 1001',
    'run.yaml:1:1: batch: a step would make batch * responses = 1001000 programs',
  ],
  ['no end', 'limits: {steps: null}', 'run.yaml:1:10: limits.steps: a run needs an end'],
  [
    'a cost without a price',
    'model: {name: m, baseUrl: "http://x/v1"}\nlimits: {costUsd: 2}',
    'run.yaml:2:10: limits.costUsd: a limit on cost needs model.price',
  ],
  [
    'an endpoint without a name',
    'model: {baseUrl: "http://x/v1"}',
    "model.name: a model's name is missing: set EVOLVE_MODEL or --model",
  ],
  [
    'a name without an endpoint',
    'model: {name: m}',
    'model.baseUrl: expected the URL of an endpoint, got none: set OPENAI_BASE_URL',
  ],
  [
    'an address for the offline model',
    'model: {kind: offline, baseUrl: "http://x"}',
    'model.baseUrl: the offline model has no address',
  ],
  ['not a URL', 'model: {name: m, baseUrl: "x"}', 'model.baseUrl: expected an http(s) URL'],
  [
    'a list for a mapping',
    'limits: [1]',
    'limits: expected a mapping of settings (steps, programs,',
    'got a list ([1])',
  ],
  ['a list for everything', '- 1', 'run.yaml:1:1: expected a mapping of settings, got a list ([1]).'],
  ['an empty file', ' \n', 'run.yaml:1:1: the file is empty'],
  ['broken YAML', 'a: [1\nb: 2', 'run.yaml:2:1: not valid YAML or JSON:'],
  ['broken JSON', '{"batch": 1,', 'run.yaml:1:13: not valid YAML or JSON:'],
  ['a key twice', 'batch: 1\nbatch: 2', 'run.yaml:2:1: batch: this key stands here twice.'],
  ['binary rubbish', '\u0000\u0001\u0002', 'run.yaml:1:1:'],
  ['not a finite number', 'seed: .inf', 'run.yaml:1:7: seed: expected a finite number, got .inf.'],
  [
    'neither a name nor a path for a task',
    'task: My Task',
    'task: expected the name of a folder in tasks/, or the path of a folder of a task, got "My Task".',
  ],
];

describe('bad settings', () => {
  test.each(BAD)('%s', (_name, text, ...parts) => {
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
  const resolved = (settings: unknown) => resolveConfig([{ settings, where: () => 'config' }]).config;
  test('is accepted as it is', () => expect(resolved(config)).toEqual(config));
  test('that cannot work is refused', () => {
    expect(() => resolved({ ...config, selection: { ...config.selection, exploration: 1, exploitation: 1 } })).toThrow(
      /selection.exploitation/,
    );
  });
});
