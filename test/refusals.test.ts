// What cannot be is refused before anything exists: one message for people that names the place, what was expected and
// what came, and exit code 2. Each row goes in by the door that a person uses.
// Attempts: files, settings and the machine.
import { mkdirSync, mkdtempSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRunActivities } from '../activities/run/open-run.ts';
import { loadTask } from '../activities/task/load-task.ts';
import { carryOut } from '../cli/program.ts';
import { exitCodeOf, messageOf } from '../cli/terminal/exit.ts';
import { DurableEvolve } from '../client/durable-evolve.ts';
import { writeScaffold } from '../client/tasks/task-folder.ts';
import { resolveHome } from '../deploy/host/home.ts';
import { externalTemporal, uiAddress } from '../deploy/servers/external-servers.ts';
import { mainEnvironment } from '../workers/process/environment.ts';
import { memoryStore } from './doubles/memory-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'refused-'));
const home = join(folder, 'home');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(() => {
  for (const name of Object.keys(process.env))
    if (/^(EVOLVE_|OPENAI_|TEMPORAL_|MONGODB_)/.test(name)) vi.stubEnv(name, undefined);
  vi.stubEnv('EVOLVE_HOME', home);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** The one line that a person reads; the promise of the work must have been refused with exit code 2. */
const refusal = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.then(
    () => new Error('it passed'),
    (thrown: unknown) => thrown,
  );
  const message = messageOf(error, false);
  expect({ message, code: exitCodeOf(error) }).toEqual({ message, code: 2 });
  expect(message).not.toMatch(/\n\s+at |unexpected;/);
  expect(message.length).toBeLessThan(2_000);
  expect(existsSync(home)).toBe(false);
  return message;
};
const put = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const byFile = (name: string, content: string | Uint8Array): Promise<string> =>
  refusal(carryOut(['run', '--config', put(name, content)]));

const BOMB = [
  'a: &a [x, x, x, x, x, x, x, x]',
  ...'bcdefghi'
    .split('')
    .map((name, index) => `${name}: &${name} [${Array(8).fill(`*${'abcdefgh'[index]}`).join(', ')}]`),
].join('\n');

describe('a file of settings', () => {
  test.each([
    ['an alias bomb', BOMB, 'run.yaml:8:16:', 'more than 50 aliases: write the values out'],
    [
      'a smaller alias bomb',
      BOMB.split('\n').slice(0, 6).join('\n'),
      'run.yaml:1:1: ',
      'aliases that stand for more than',
    ],
    [
      'an alias inside of its anchor',
      'population: &a\n  islands: [*a]',
      'run.yaml:1:1: ',
      'an alias inside of its anchor',
    ],
    ['an alias of nothing', 'batch: *b', 'run.yaml:1:1: ', 'Unresolved alias'],
    ['a merge key', 'population:\n  <<: {islands: 3}', 'run.yaml:2:3: population.<<: merge keys are none of YAML 1.2'],
    ['a tag of JavaScript', 'batch: !!js/function x', 'run.yaml:1:', 'batch: expected a plain value, got the tag'],
    ['a tag of its own', 'seed: 1\nbatch: !big 3', 'run.yaml:2:', 'batch: expected a plain value, got the tag !big'],
    ['a tag that YAML knows', 'batch: !!str 3', 'run.yaml:1:', 'batch: expected a plain value, got the tag'],
    ['a key twice', 'batch: 1\nseed: 2\nbatch: 3', 'run.yaml:3:1: batch: this key stands here twice.'],
    ['a key twice inside', 'limits: {steps: 1, steps: 2}', 'limits.steps: this key stands here twice.'],
    ['two documents', 'batch: 1\n---\nbatch: 2', 'run.yaml:2:1: expected one document, got another after ---.'],
    ['an older YAML', '%YAML 1.1\n---\nbatch: 010', 'run.yaml:1:1: expected YAML 1.2, got version 1.1.'],
    ['a tab in front', 'population:\n\tislands: 3', 'run.yaml:2:1: not valid YAML or JSON: Tabs are not allowed'],
    ['a complex key', '? batch\n: 3', 'run.yaml:1:1: expected keys that are words, got one that begins with "? ".'],
    ['a list for a key', '[a, b]: 3', 'expected a key that is a word'],
    ['no key', ': 3', 'run.yaml:1:1: expected a key that is a word'],
    ['a name of objects', '__proto__: {batch: 3}', 'run.yaml:1:1: __proto__: this name cannot be a key.'],
    ['a name of objects inside', 'limits: {constructor: 3}', 'limits.constructor: this name cannot be a key.'],
    ['another name of objects', 'toString: 3', 'run.yaml:1:1: toString: unknown key.'],
    ['deep nesting', `batch: ${'['.repeat(5_000)}`, 'run.yaml:1:', 'nested more than 32 deep.'],
    ['deep mappings', `batch: ${'{a: '.repeat(5_000)}`, 'run.yaml:1:', 'nested more than 32 deep.'],
    ['deep lists in a line', `batch:\n  ${'- '.repeat(20_000)}`, 'nested more than 32 deep.'],
    ['question marks, over which the parser would take minutes', '? '.repeat(20_000), 'expected keys that are words'],
    [
      'deep indentation',
      Array.from({ length: 200 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'),
      'nested more than 32 deep.',
    ],
    ['nothing', '', 'run.yaml:1:1: the file is empty; expected settings such as "task: circle-packing-square-26"'],
    ['comments only', '# batch: 3\n# seed: 4\n', 'run.yaml:1:1: the file is empty but for comments; expected settings'],
    ['a mark of a document only', '---\n', 'run.yaml:1:1: the file is empty'],
    ['null', 'null', 'run.yaml:1:1: the file is empty'],
    ['a text', 'batch 3', 'run.yaml:1:1: expected a mapping of settings'],
    ['a list', '- batch: 3', 'run.yaml:1:1: expected a mapping of settings'],
    ['an infinite number', 'limits: {costUsd: .inf}', 'limits.costUsd: expected a finite number, got .inf.'],
    ['no number', 'model: {temperature: .nan}', 'model.temperature: expected a finite number, got .nan.'],
    ['a number without an end', 'limits: {costUsd: 1e999}', 'limits.costUsd: expected a finite number, got 1e999.'],
    ['a hexadecimal number', 'batch: 0x10', 'run.yaml:1:8: batch: expected a decimal number, got 0x10'],
    ['an octal number', 'batch: 0o17', 'run.yaml:1:8: batch: expected a decimal number, got 0o17'],
    ['an octal number of old', 'batch: 010', 'run.yaml:1:8: batch: expected a decimal number, got 010'],
    ['digits with underscores', 'batch: 1_000', 'batch: expected a whole number from 1 to 1000000, got "1_000".'],
    ['a number as text', 'batch: "4"', 'batch: expected a whole number from 1 to 1000000, got "4".'],
    ['yes', 'diff: {strict: yes}', 'diff.strict: expected true or false, got "yes".'],
    ['no', 'diff: {strict: no}', 'diff.strict: expected true or false, got "no".'],
    ['a seed that loses digits', 'seed: 9007199254740993', 'seed: expected a whole number that keeps its digits'],
    ['a seed below 0', 'seed: -1', 'seed: expected a whole number of at least 0, got -1.'],
    ['a seed with a fraction', 'seed: 1.5', 'seed: expected a whole number of at least 0, got 1.5.'],
    ['no steps', 'limits: {steps: 0}', 'limits.steps: expected a whole number from 1 to 999999, got 0.'],
    ['steps below 0', 'limits: {steps: -1}', 'limits.steps: expected a whole number from 1 to 999999, got -1.'],
    ['half a step', 'limits: {steps: 1.5}', 'limits.steps: expected a whole number from 1 to 999999, got 1.5.'],
    ['a thousand million steps', 'limits: {steps: 1e9}', 'limits.steps: expected a whole number from 1 to 999999'],
    ['an unknown method', 'method: thetta', 'method: expected one of theta,', 'Did you mean "theta"?'],
    ['an empty name of a model', 'model: {name: ""}', 'model.name: expected a model name, got "".'],
    ['a name of blanks', 'model: {name: "  "}', 'model.name: expected a model name, got "  ".'],
    ['a name with a line end', 'model: {name: "a\\nb"}', 'model.name: expected a model name, got "a\\nb".'],
    ['a name with an escape', 'model: {name: "a\\eb"}', 'model.name: expected a model name'],
    ['a name with NUL', 'model: {name: "a\\0b"}', 'model.name: expected text, got a NUL character in it.'],
    [
      'a file for an endpoint',
      'model: {name: m, baseUrl: "file:///etc/passwd"}',
      'model.baseUrl: expected an http(s) URL',
    ],
    ['no scheme', 'model: {name: m, baseUrl: "localhost:8000"}', 'model.baseUrl: expected an http(s) URL'],
    ['a port of 99999', 'model: {name: m, baseUrl: "http://localhost:99999/v1"}', 'with a port from 1 to 65535'],
    ['a port of 0', 'model: {name: m, baseUrl: "http://localhost:0/v1"}', 'with a port from 1 to 65535'],
    ['a key in a URL', 'model: {name: m, baseUrl: "http://h/v1?key=s3cret"}', 'without user name, password, ? and #'],
    [
      'a password in a URL',
      'model: {name: m, baseUrl: "http://u:s3cret@h/v1"}',
      'without user name, password, ? and #',
    ],
    ['a task with NUL', 'task: "/a\\0b"', 'task: expected text, got a NUL character in it.'],
    ['a task with a line end', 'task: "/a\\nb"', 'task: expected the name of a folder in tasks/'],
    ['a task of 5000 characters', `task: /${'x'.repeat(5_000)}`, 'task: expected the name of a folder in tasks/'],
    [
      'a metric that nobody reports',
      'population: {features: [score, "metric:smalest_radius"]}',
      'run.yaml:1:32: population.features.1: expected a metric that the evaluator of circle-packing-square-26 reports',
      'got smalest_radius; the nearest is smallest_radius.',
    ],
    [
      'a metric in a mapping that nobody reports',
      'population: {features: [{name: "metric:nothing", bins: 3}]}',
      'run.yaml:1:26: population.features.0.name: expected a metric that the evaluator of',
    ],
    [
      'a level without cores of its own for a task that is timed',
      'task: efficient-convolution\nevaluation: {sandbox: fork}',
      'run.yaml:2:14: evaluation.sandbox: expected docker or auto',
    ],
    [
      'a level without a container engine for a program in another language',
      'task: golomb-ruler-12\nevaluation: {sandbox: bubblewrap}',
      'run.yaml:2:14: evaluation.sandbox: expected fork or docker or auto',
    ],
  ])('with %s', async (_name, text, ...words) => {
    const message = await byFile('run.yaml', text);
    for (const word of words) expect(message).toContain(word);
    expect(message).not.toContain('s3cret');
  });

  test.each([
    ['a trailing comma', '{\n  "batch": 3,\n}', 'run.json:3:1: not valid JSON: '],
    ['a comment', '{\n  // three\n  "batch": 3\n}', 'run.json:2:3: not valid JSON: '],
    ['single quotes', "{'batch': 3}", 'run.json:1:2: not valid JSON: '],
    ['a word without quotes', '{"task": flow-shop}', 'run.json:1:10: task: not valid JSON: expected a text in double'],
    ['NaN', '{"batch": NaN}', 'run.json:1:11: batch: not valid JSON: '],
    ['an end too early', '{"batch": 3', 'run.json:1:12: not valid JSON: '],
    ['a key twice', '{"batch": 3, "batch": 4}', 'run.json:1:14: batch: this key stands here twice.'],
    ['nothing', ' \n', 'run.json:1:1: the file is empty'],
    ['UTF-16', Buffer.from('\uFEFF{"batch": 3}', 'utf16le'), 'text in UTF-16, expected UTF-8'],
    ['Latin-1', Buffer.from('{"task": "gr\u00fcn"}', 'latin1'), 'it is not UTF-8 text (line 1, byte 12)'],
    ['NUL', '{"batch": 3}\0', 'a NUL character (line 1, byte 12)'],
    ['two megabytes', `{"batch": 3}${' '.repeat(2 ** 21)}`, 'more than 1048576 bytes'],
  ])('in JSON with %s', async (_name, content, words) => {
    expect(await byFile('run.json', content)).toContain(words);
  });

  test.each([
    ['an endless device', '/dev/zero', 'a device, expected a regular file'],
    ['a directory', tmpdir(), 'a directory, expected a regular file'],
    ['below a file', '/dev/null/run.yaml', 'no such file'],
  ])('that is %s', async (_name, path, words) => {
    expect(await refusal(carryOut(['run', '--config', path]))).toBe(
      `error: --config: expected a YAML or JSON file, got ${path}: ${words}`,
    );
  });
});

describe('a command line', () => {
  test.each([
    ['a value that is no YAML', ['run', '--set', 'batch=[1'], '--set batch: expected a YAML or JSON value'],
    ['no value', ['run', '--set', 'batch='], '--set batch: expected a YAML or JSON value, got ""'],
    ['a comment for a value', ['run', '--set', 'batch=# 3'], '--set batch: expected a YAML or JSON value'],
    ['a tag', ['run', '--set', 'batch=!!int 3'], 'got the tag'],
    ['a name of objects', ['run', '--set', '__proto__=3'], 'expected key.path=value'],
    ['another name of objects', ['run', '--set', 'constructor.name=3'], '--set constructor: constructor: unknown key.'],
    ['a key inside of a value', ['run', '--set', 'batch=1', '--set', 'batch.size=2'], 'plain value'],
    ['yes', ['run', '--set', 'diff.strict=yes'], '--set diff.strict: diff.strict: expected true or false, got "yes".'],
    ['a seed beyond 2^53', ['run', '--seed', '9007199254740993'], '--seed: seed: expected a whole number'],
    [
      'a seed in hexadecimal',
      ['run', '--seed', '0x10'],
      '--seed: seed: expected a whole number of at least 0, got "0x10"',
    ],
    ['an infinite seed', ['run', '--seed', 'Infinity'], '--seed: seed: expected a whole number of at least 0'],
    ['1e9 steps', ['run', '--steps', '1e9'], '--steps: limits.steps: expected a whole number from 1 to 999999'],
    ['steps of a fraction', ['start', '--steps', '1.5'], '--steps: limits.steps: expected a whole number from 1 to'],
    ['an empty model', ['run', '--model', ''], '--model: model.name: expected a model name, got "".'],
    [
      'an endpoint that is none',
      ['run', '--model', 'm', '--base-url', 'ftp://h/v1'],
      '--base-url: model.baseUrl: expected an http(s) URL',
    ],
    ['an unknown method', ['run', '--method', 'open-evolve'], 'Did you mean "openevolve"?'],
    ['an id that looks like a flag', ['run', '--run=-x'], '--run: expected a letter or a digit first, got "-x"'],
    ['an id with a slash', ['run', '--run', '../up'], '--run: expected 1 to 60 of the characters a-z, 0-9 and -'],
    ['an id with control characters', ['run', '--run', 'a\u001b[2Jb'], '--run: expected 1 to 60 of the characters'],
    ['an id of 512 characters', ['run', '--run', 'x'.repeat(512)], '--run: expected 1 to 60 of the characters'],
    ['the id latest', ['run', '--run', 'latest'], '--run: "latest" always means the newest run'],
    ['an unknown task', ['run', '--task', 'flow-shopp'], '--task: task: there is no task "flow-shopp". Did you mean'],
    ['a task that is no folder', ['run', '--task', '/dev/null'], 'that is a file'],
    [
      'a program that never ends',
      ['inject', 'demo', '/dev/zero'],
      '<file>: expected a program, got /dev/zero: a device',
    ],
    ['no island', ['inject', 'demo', import.meta.filename, '--island', '1.5'], '--island: expected a whole number'],
    ['a limit that is none', ['extend', 'demo', '--steps', 'many'], '--steps: expected a positive number, or none'],
  ])('with %s', async (_name, args, words) => {
    expect(await refusal(carryOut(args))).toContain(words);
  });

  test.each([
    ['programs --outcome good', '--outcome: expected one of rejected'],
    ['extend', 'extend: expected at least one of --steps'],
    ['extend --steps 0', '--steps: expected a positive number, or none, got "0"'],
    ['extend --add --no-improvement-programs none', '--no-improvement-programs expected a number to --add, got null'],
    ['run --set batch', '--set: expected key.path=value'],
    ['set demo', 'set: expected either key.path=value'],
    ['set demo batch=4 --patch {}', 'set: expected either key.path=value'],
    ['set demo batch', 'expected key.path=value such as population.islands=4, got "batch"'],
    ['set demo --patch [1]', '--patch: expected one JSON object such as {"diff": {"maxCodeChars": 20000}}, got [1]'],
    ['inject demo nowhere.py', '<file>: expected a program, got nowhere.py: no such file'],
    ['hint demo text --island -1', '--island: expected a whole number of at least 0, got "-1"'],
    ['hint demo text --remove', 'hint: expected either a text or --remove, got both'],
    ['add-model demo m --weight 0', '--weight: expected a positive number, got "0"'],
    ['rewind demo --to-step x', '--to-step: expected a whole number of at least 0, got "x"'],
    ['fork demo --at-step x', '--at-step: expected a whole number of at least 0, got "x"'],
    ['prompt demo --stage score', '--stage: expected one of notes, idea, judge, meta, program, repair, delta, novelty'],
    ['prompt demo --step last', '--step: expected a whole number of at least 0, got "last"'],
    ['prompt demo --group -1', '--group: expected a whole number of at least 0, got "-1"'],
    ['replay-response p --response nowhere.txt', '--response: expected an answer, got nowhere.txt: no such file'],
    ['replay-response p --set batch=3', '--set batch: expected a setting below diff'],
  ])('%s', async (line, words) => {
    expect(await refusal(carryOut(line.split(' ')))).toContain(words);
  });
});

describe('a variable of the environment', () => {
  test.each([
    ['OPENAI_BASE_URL', 'ftp://h/v1', 'OPENAI_BASE_URL: model.baseUrl: expected an http(s) URL'],
    ['OPENAI_BASE_URL', 'http://h:99999/v1', 'OPENAI_BASE_URL: model.baseUrl: expected an http(s) URL'],
    ['OPENAI_BASE_URL', 'http://u:s3cret@h/v1', 'OPENAI_BASE_URL: model.baseUrl: expected an http(s) URL'],
    ['EVOLVE_MODEL', 'a\nb', 'EVOLVE_MODEL: model.name: expected a model name'],
    ['EVOLVE_MODEL', '   ', 'EVOLVE_MODEL: model.name: expected a model name'],
  ])('%s=%s is named', async (name, value, words) => {
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:1/v1');
    vi.stubEnv('EVOLVE_MODEL', 'm');
    vi.stubEnv(name, value);
    const message = await refusal(carryOut(['run']));
    expect(message).toContain(words);
    expect(message).not.toContain('s3cret');
  });
});

test.each(['0', '-1', '1.5', '1e3', '0x10', 'many', '1000000', ' 4'])(
  'a number of places of %j is refused',
  (value) => {
    const env = { EVOLVE_HOME: home, MONGODB_URI: 'mongodb://h', EVOLVE_BUNDLE: 'b', EVOLVE_LLM_SLOTS: value };
    expect(() => mainEnvironment(env)).toThrow('EVOLVE_LLM_SLOTS: expected a whole number from 1 to 99999, got');
  },
);

test.each(['4', '3601', '5.5', '5s', '-5', 'long'])('a heartbeat timeout of %j is refused', (value) => {
  const env = { EVOLVE_HOME: home, MONGODB_URI: 'mongodb://h', EVOLVE_BUNDLE: 'b', EVOLVE_HEARTBEAT_TIMEOUT: value };
  expect(() => mainEnvironment(env)).toThrow(
    `EVOLVE_HEARTBEAT_TIMEOUT: expected a whole number of seconds from 5 to 3600, got ${JSON.stringify(value)}`,
  );
});

test.each([
  ['http://ann:s3cret@ui:8233', 'a user or password'],
  ['http://ui:8233/?token=s3cret', 'a query'],
  ['ui:8233', 'an address that begins with http:// or https://'],
])('an address of the UI of Temporal as %s is refused, and not repeated', (address, words) => {
  const told = (() => {
    try {
      return String(uiAddress({ EVOLVE_TEMPORAL_UI: address }));
    } catch (error) {
      return (error as Error).message;
    }
  })();
  expect(told).toContain('EVOLVE_TEMPORAL_UI: expected an address');
  expect(told).toContain(words);
  expect(told).not.toContain('s3cret');
  expect(uiAddress({ EVOLVE_TEMPORAL_UI: 'https://ui.example/base' })).toBe('https://ui.example/base');
});

test.each(['h:99999', 'h:0', 'http://h:7233', 'h :7233'])(
  'an address of Temporal of %j is refused',
  async (address) => {
    const env = { TEMPORAL_ADDRESS: address, TEMPORAL_CONFIG_FILE: '/dev/null' };
    await expect(externalTemporal(env)).rejects.toThrow(
      'TEMPORAL_ADDRESS: expected host:port such as 127.0.0.1:7233, got',
    );
  },
);

describe('payload keys that cannot be read', () => {
  test.each(['up', 'start'])('refuse `evolve %s` before anything that runs is stopped', async (command) => {
    const file = put('payload-keys', 'no key at all');
    vi.stubEnv('EVOLVE_PAYLOAD_KEYS_FILE', file);
    expect(await refusal(carryOut([command]))).toContain(`${file}: entry 1 has no id`);
  });
});

describe('a page that cannot be served so', () => {
  test.each([
    [['--port', '99999'], '--port: expected a number from 0 to 65535, got "99999"'],
    [['--host', '0.0.0.0'], '--host 0.0.0.0: others reach this address'],
    [['--token-file', '/nowhere/token'], '--token-file: /nowhere/token cannot be read'],
  ])('evolve ui %j', async (args, words) => {
    expect(await refusal(carryOut(['ui', ...args]))).toContain(words);
  });
});

describe('a sweep', () => {
  const grid = Array.from({ length: 1_000 }, (_, index) => index + 1).join(', ');
  test.each([
    [
      'a million members',
      `name: s\ngrid: {batch: [${grid}], responses: [${grid}]}`,
      'sweep.yaml:2:1: grid: expected at',
    ],
    ['members without number', `name: s\nrandom: {samples: 1e9, space: {batch: [1]}}`, 'random.samples: expected'],
    ['a name of objects', 'name: s\ngrid: {"constructor": [1]}', 'this name cannot be a key'],
    [
      'a metric that nobody reports',
      'name: s\nbase: {population: {features: ["metric:zzz"]}}',
      'expected a metric that',
    ],
    ['an unknown setting', 'name: s\ngrid: {"toString.x": [1]}', 'sweep.yaml:2:8: toString: unknown key.'],
    ['a bomb', BOMB, 'more than 50 aliases'],
    ['a name with a slash', 'name: ../s\ngrid: {batch: [1]}', 'sweep.yaml:1:1: name: expected a name of 1 to 40'],
  ])('with %s', async (_name, text, words) => {
    expect(await refusal(carryOut(['sweep', put('sweep.yaml', text)]))).toContain(words);
  });

  test.each([
    ['no time', [], 'schedule: expected either --every'],
    ['two times', ['--every', '1h', '--cron', '0 2 * * *'], 'schedule: expected either --every'],
    ['an interval of none', ['--every', '0m'], '--every: expected a whole number with s, m, h or d'],
    ['an interval of centuries', ['--every', '99999d'], '--every: expected a whole number with s, m, h or d'],
    ['four fields', ['--cron', '0 2 * *'], '--cron: expected five fields'],
    ['a minute of 60', ['--cron', '60 2 * * *'], '--cron: minute: expected * or numbers from 0 to 59'],
    ['an hour of 24', ['--cron', '0 24 * * *'], '--cron: hour: expected * or numbers from 0 to 23'],
    ['a day of 0', ['--cron', '0 2 0 * *'], '--cron: day: expected * or numbers from 1 to 31'],
    [
      'a month that is none',
      ['--cron', '0 2 * juli *'],
      '--cron: month: expected * or numbers from 1 to 12 or jan to dec',
    ],
    ['a weekday of 8', ['--cron', '0 2 * * 8'], '--cron: weekday: expected * or numbers from 0 to 7'],
    ['steps of 0', ['--cron', '*/0 2 * * *'], '--cron: minute: expected'],
    ['a range backwards', ['--cron', '0 9-5 * * *'], '--cron: hour: expected'],
    ['an id with a slash', ['--every', '1h', '--id', 'a/b'], '--id: expected 1 to 100 of the characters'],
  ])('on a schedule with %s', async (_name, args, words) => {
    const file = put('sweep.yaml', 'name: s\ngrid: {batch: [1]}');
    expect(await refusal(carryOut(['schedule', 'create', file, ...args]))).toContain(words);
  });
});

describe('settings of the library', () => {
  test.each([
    ['NUL in a task', { task: '/a\0b' }, 'task: expected the name of a folder in tasks/'],
    ['an infinite limit', { limits: { costUsd: Number.POSITIVE_INFINITY } }, 'limits.costUsd: expected'],
    ['no number', { batch: Number.NaN }, 'batch: expected a whole number'],
    ['a large whole number', { batch: 10n }, 'batch: expected a whole number'],
    ['a function', { batch: () => 3 }, 'batch: expected a whole number'],
    ['a name of objects', JSON.parse('{"__proto__": {"batch": 3}}') as object, 'unknown key'],
    ['a list', [1, 2], 'expected a mapping of settings'],
  ])('with %s', async (_name, settings, words) => {
    const evolve = new DurableEvolve({ home: resolveHome({ EVOLVE_HOME: home }), env: {} }, () => undefined);
    expect(await refusal(evolve.start(settings))).toContain(words);
    await evolve.close();
  });
});

describe('settings that a person types into the page of the workflow engine', () => {
  test.each([
    ['no mapping', 'theta', 'config: expected a mapping of settings'],
    ['an unknown method', { method: 'thetta' }, 'Did you mean "theta"?'],
    ['steps of 0', { limits: { steps: 0 } }, 'limits.steps: expected a whole number from 1 to 999999, got 0.'],
    ['a metric that nobody reports', { population: { features: ['metric:zzz'] } }, 'population.features.0: expected a'],
    ['a name of objects', { constructor: 1 }, 'constructor: unknown key.'],
  ])('with %s', async (_name, config, words) => {
    const { openRun } = createRunActivities({ store: memoryStore(), loadTask });
    const request = { run: 'typed', owner: 'w', config } as unknown as Parameters<typeof openRun>[0];
    await expect(openRun(request)).rejects.toThrow(words);
  });
});

describe('a task folder', () => {
  const task = join(folder, 'my-task');
  const change = (from: RegExp | string, to: string): void =>
    writeFileSync(
      join(task, 'task.yaml'),
      readFileSync(join(task, 'task.yaml'), 'utf8').replace(from, () => to),
    );
  const refused = (): Promise<string> => refusal(carryOut(['run', '--task', task]));
  beforeEach(() => {
    rmSync(task, { recursive: true, force: true });
    writeScaffold('solution', 'my-task', task);
  });

  test.each([
    ['a prompt from the system', /file: \S+/, 'file: ../../../../etc/passwd', 'prompts.0.file: expected the path of a'],
    ['a prompt by an absolute path', /file: \S+/, 'file: /etc/passwd', 'prompts.0.file: expected the path of a file'],
    ['a key twice', /^kind: .*$/m, 'kind: solution\nkind: function', 'kind: this key stands here twice'],
    [
      'a module of another form',
      /^kind: /m,
      'preload: [os; import sys]\nkind: ',
      'preload.0: expected the name of a module',
    ],
    ['a tag', /^kind: /m, 'version: !!int 1\nkind: ', 'version: expected a plain value, got the tag'],
    ['an octal number', /pids: \d+/, 'pids: 0o100', 'limits.pids: expected a decimal number, got 0o100'],
    [
      'an infinite limit',
      /cpuSeconds: \d+/,
      'cpuSeconds: .inf',
      'limits.cpuSeconds: expected a finite number, got .inf',
    ],
    ['a name of objects', /^instance:$/m, 'instance:\n  __proto__: {n: 1}', 'instance.__proto__: this name cannot be'],
    ['a bomb', /^kind: /m, `values:\n${BOMB.replaceAll(/^/gm, '  ')}\nkind: `, 'more than 50 aliases'],
  ])('with %s', async (_name, from, to, words) => {
    change(from, to);
    const message = await refused();
    expect(message).toContain(words);
    expect(message).toMatch(/my-task\/task\.yaml:\d+: /);
  });

  test('with an empty file, another encoding, or an endless one', async () => {
    writeFileSync(join(task, 'task.yaml'), '# nothing\n');
    expect(await refused()).toContain('task.yaml:1: expected a task, got an empty file');
    writeFileSync(join(task, 'task.yaml'), Buffer.from('\uFEFFid: my-task', 'utf16le'));
    expect(await refused()).toContain('text in UTF-16, expected UTF-8');
    rmSync(join(task, 'task.yaml'));
    symlinkSync('/dev/zero', join(task, 'task.yaml'));
    expect(await refused()).toContain('a device, expected a regular file');
    rmSync(join(task, 'task.yaml'));
    mkdirSync(join(task, 'task.yaml'));
    expect(await refused()).toContain('a directory, expected a regular file');
  });
});
