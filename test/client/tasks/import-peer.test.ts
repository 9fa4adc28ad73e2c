// Folders of other systems become tasks as they stand: by the files that each has, with its words, settings and packages.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readTask } from '../../../activities/task/load-task.ts';
import { importPeer } from '../../../client/tasks/peers/import-peer.ts';
import { settingsFrom } from '../../../cli/flags/settings-flags.ts';

const root = mkdtempSync(join(tmpdir(), 'evolve-peers-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;

const PROGRAM = 'import numpy\n# EVOLVE-BLOCK-START\ndef run():\n    return 1\n# EVOLVE-BLOCK-END\n';
const BY_PATH = 'def evaluate(program_path):\n    return {"combined_score": 1.0}\n';

const imported = (files: { readonly [name: string]: string }) => {
  const folder = join(root, `a-${(made += 1)}`);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const peer = { folder, ...importPeer(folder) };
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return { peer, read, task: parse(read('task.yaml')) as object };
};

test.each([
  [
    'openevolve',
    { 'evaluator.py': BY_PATH, 'initial_program.py': PROGRAM, 'config.yaml': 'prompt: {system_message: Say}\n' },
    { file: 'evaluator.py', program: 'initial_program.py' },
  ],
  [
    'skydiscover',
    {
      'evaluator/evaluator.py': BY_PATH,
      'evaluator/wrapper.py': '',
      'initial_program.py': PROGRAM,
      'config.yaml': 'prompt: {system_message: Say}\n',
    },
    { file: 'evaluator/evaluator.py', program: 'initial_program.py' },
  ],
  [
    'shinkaevolve',
    {
      'evaluate.py': 'from shinka.core import run_shinka_eval\ndef main(program_path, results_dir):\n    pass\n',
      'initial.py': PROGRAM,
      'run_evo.py': 'search_task_sys_msg = """Say"""\n',
    },
    { file: 'evaluate.py', program: 'initial.py' },
  ],
  [
    'codeevolve',
    {
      'input/evaluate.py': 'def evaluate(program_path, results_path):\n    pass\n',
      'input/src/init_program.py': PROGRAM,
      'experiments/0/results.log': 'x'.repeat(17 * 2 ** 20),
      'configs/config_mp.yaml': 'SYS_MSG: Say\nEVAL_TIMEOUT: 60\nEVOLVE_CONFIG: {fitness_key: ratio, num_islands: 5}\n',
    },
    { file: 'input/evaluate.py', program: 'input/src/init_program.py', score: 'ratio' },
  ],
  [
    'thetaevolve',
    {
      'evaluators/evaluator_modular.py':
        'from openevolve.modular_utils.evaluation_controller import get_current_problem_config\ndef evaluate(path, temp_dir=None):\n    pass\n',
      'initial_programs/initial_program.py': PROGRAM,
      'configs/config.yaml':
        'variables: {core_parameters: {n: Say}}\nprompt: {system_message_list: [{message: No, weight: 0.3}, {message: "{core_parameters.n}", weight: 0.7}]}\n',
    },
    { file: 'evaluators/evaluator_modular.py', program: 'initial_programs/initial_program.py' },
  ],
  [
    'llm4ad',
    {
      'evaluation.py':
        'from llm4ad.base import Evaluation\nclass E(Evaluation):\n    def __init__(self, timeout_seconds=30): pass\n',
      'template.py': `template_program = '''\n${PROGRAM}'''\ntask_description = "Say"\n`,
    },
    { file: 'evaluation.py', program: 'initial.py', shape: 'text', function: 'evaluate_program_text' },
  ],
  [
    'gepa',
    {
      'main.py': `from gepa.optimize_anything import optimize_anything\nSEED = '''\n${PROGRAM}'''\ndef score(candidate, opt_state=None):\n    return 1, {}\noptimize_anything(seed_candidate=SEED, evaluator=score, objective="Say")\n`,
    },
    { file: 'main.py', program: 'initial.py', shape: 'text', function: 'score' },
  ],
])('a folder of %s', async (format, files, evaluate) => {
  const { peer, task, read } = imported(files);
  expect(peer.format).toBe(format);
  expect(task).toMatchObject({ kind: 'script', direction: 'maximise', evaluate, problem: 'Say\n' });
  for (const [name, text] of Object.entries(files)) expect(read(name)).toBe(text);
  const loaded = await readTask(peer.folder);
  expect(loaded.prompts[0]!.text).toBe('Say');
  expect(loaded.initialProgram).toContain('def run():');
  expect(settingsFrom({ config: join(peer.folder, 'run.yaml') }, {}).config).toMatchObject({
    task: peer.folder,
    method: peer.method,
  });
});

test('settings have a counterpart or are listed; stages, artifacts, packages and needs are named', () => {
  const { peer, task, read } = imported({
    'evaluator.py': `import yaml\nimport helper\ndef evaluate_stage1(path):\n    pass\ndef evaluate_stage2(path):\n    pass\n${BY_PATH}artifacts = 1\n`,
    'helper.py': 'import networkx as nx\nimport triton\n',
    'unused.py': 'import pandas\n',
    'initial_program.jl': 'main() = 1\n',
    'config.yaml':
      'max_iterations: 80\nllm: {temperature: 0.4, primary_model: gpt}\ndatabase: {population_size: 30, archive_size: 10, num_islands: 2}\nevaluator: {timeout: 45, parallel_evaluations: 4, cascade_thresholds: [0.6]}\nmax_code_length: 9000\ndiff_based_evolution: false\n',
    'config_other.yaml': 'max_iterations: 5\n',
  });
  expect(peer).toMatchObject({
    stages: [{ name: 'stage1', function: 'evaluate_stage1', threshold: 0.6 }],
    artifacts: true,
    packages: ['pyyaml', 'networkx'],
  });
  expect(peer.unsupported).toEqual(['llm.primary_model', 'evaluator.parallel_evaluations']);
  const own = {
    'evaluator.py': BY_PATH,
    'initial_program.py': PROGRAM,
    'task.yaml': 'kind: script\n',
    'run.yaml': 'seed: 1\n',
  };
  expect(imported(own).peer.unsupported).toEqual([]);
  expect(peer.needs).toEqual([
    expect.stringMatching(/^triton needs a GPU/),
    expect.stringMatching(/^initial_program\.jl needs julia/),
  ]);
  expect(task).toMatchObject({ language: 'julia', limits: { cpuSeconds: 45 }, packages: ['pyyaml', 'networkx'] });
  expect(parse(read('run.yaml'))).toEqual({
    ...{ task: '.', method: 'openevolve', limits: { programs: 80 }, model: { temperature: 0.4 } },
    population: { cap: 30, archive: 10, islands: 2 },
    diff: { accept: 'program', maxCodeChars: 9000 },
  });
});

test('modules of a system that an evaluator imports are written beside it', () => {
  const imports = 'from shinka.core import run_shinka_eval\nfrom shinka.llm import LLMClient\n';
  const { read } = imported({ 'evaluate.py': imports, 'initial.py': PROGRAM });
  expect(read('shinka/core.py')).toContain('def run_shinka_eval(');
  expect(read('shinka/llm.py')).toContain('class LLMClient');
});

test('what is there stays as it is, and a folder of no system is refused by what was expected', () => {
  const { peer, read } = imported({ 'evaluator.py': BY_PATH, 'initial.py': PROGRAM, 'task.yaml': 'mine' });
  expect([read('task.yaml'), peer.format]).toEqual(['mine', 'openevolve']);
  expect(() => imported({ 'evaluator.py': 'import dspy\n', 'initial_prompt.txt': 'Say' })).toThrow(
    /dspy needs a model: evaluator: \{network: model\} lets it ask one; evaluator\.py: the evaluator of openevolve, and no file beside it/,
  );
  expect(() => imported({ 'a.py': '' })).toThrow(/expected what `evolve export` wrote, or a folder of OpenEvolve/);
});
