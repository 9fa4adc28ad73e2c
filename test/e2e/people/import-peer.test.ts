// `evolve import` of another system's folder: its score is shown to depend on the program, or it is said that it does not.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sharedHome } from '../../support/machine/live.ts';

const live = sharedHome();
const root = mkdtempSync(join(tmpdir(), 'evolve-peers-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const folder = (name: string, files: { readonly [name: string]: string }): string => {
  mkdirSync(join(root, name));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, name, file), text);
  return join(root, name);
};
const PROGRAM = '# EVOLVE-BLOCK-START\ndef search(seed=1):\n    return 3.25 * 2.5 + 0.125\n# EVOLVE-BLOCK-END\n';
const SHINKA = `from shinka.core import run_shinka_eval


def main(program_path, results_dir):
    run_shinka_eval(
        program_path=program_path, results_dir=results_dir, experiment_fn_name="search", num_runs=2,
        validate_fn=lambda value: (value < 1e6, "too large"),
        aggregate_metrics_fn=lambda values: {"combined_score": sum(values), "public": {"n": len(values)}},
    )
`;
const LLM4AD = `from llm4ad.base import Evaluation
from template import template_program, task_description


class Own(Evaluation):
    def __init__(self, timeout_seconds=20, **kwargs):
        super().__init__(template_program=template_program, task_description=task_description)

    def evaluate_program(self, program_str, callable_func):
        return callable_func()
`;

test('the initial program three times, a broken one, and three mutants that differ', async () => {
  const shinka = folder('shinka', { 'evaluate.py': SHINKA, 'initial.py': PROGRAM });
  expect(await live.home.json(['import', shinka])).toMatchObject({
    ...{ format: 'shinkaevolve', initial: [16.5, 16.5, 16.5], spread: 0, problem: null, unsupported: [] },
    broken: expect.stringContaining('this program is broken'),
    mutants: { length: 3 },
  });
  const llm4ad = folder('llm4ad', {
    'evaluation.py': LLM4AD,
    'template.py': `template_program = '''\n${PROGRAM.replace('seed=1', 'seed: List = 1')}'''\ntask_description = "x"\n`,
  });
  expect(await live.home.json(['import', llm4ad])).toMatchObject({
    format: 'llm4ad',
    initial: [8.25, 8.25, 8.25],
  });
  const blind = folder('blind', {
    'evaluator.py': 'def evaluate(program_path):\n    return {"combined_score": 0.7}\n',
    'initial_program.py': 'def search():\n    return 3.25\n',
  });
  const { code, stdout } = await live.home.evolve(['import', blind, '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    problem: 'the score does not depend on the program: of 15 mutants 0 differ',
  });
  const better = folder('better', {
    'evaluator.py':
      'import runpy\ndef evaluate(path):\n    try:\n        return {"combined_score": -runpy.run_path(path)["search"]()}\n    except Exception:\n        return {"combined_score": 0.0}\n',
    'initial_program.py': PROGRAM,
  });
  expect(JSON.parse((await live.home.evolve(['import', better, '--json'])).stdout)).toMatchObject({
    broken: 'score 0: its evaluator scores what fails',
    problem: expect.stringContaining('a broken one has 0, the initial one -8.25'),
  });
  const words = folder('words', {
    'evaluator.py': `import runpy
KINDS = {"a": ["x", "y"], "b": ["u", "v"], "c": ["p", "q"]}
def evaluate(path):
    try:
        found = runpy.run_path(path)["search"]()
        return {"combined_score": sum(found[kind] == texts[0] for kind, texts in KINDS.items())}
    except Exception:
        return {"combined_score": 0}
`,
    'initial_program.py': 'def search():\n    # "a": "x" or "y"\n    return {"a": "y", "b": "v", "c": "q"}\n',
  });
  expect(await live.home.json(['import', words])).toMatchObject({ initial: [0, 0, 0], mutants: [1, 1, 1] });
  const { stdout: programs } = await live.home.evolve(['task', 'score', shinka, '--json']);
  expect(JSON.parse(programs)).toMatchObject({ outcome: 'valid', score: 16.5, metrics: { n: 2 } });
});
