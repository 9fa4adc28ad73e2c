// Workers are killed while a program is compiled, while its evaluator waits for a model, and between two stages: each
// evaluation ends as it would have, and no stage and no request is made twice. A re-scoring is killed in
// steering/task-update.test.ts.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { endpointFor, liveHome } from '../../support/machine/live.ts';
import { until } from '../../support/machine/home.ts';

/** A compiler reads it for two seconds. */
const SLOW = '#if __INCLUDE_LEVEL__ < 17\n#include __FILE__\n#include __FILE__\n#endif\n#if __INCLUDE_LEVEL__ == 0\n';
const COMPILED = {
  'task.yaml':
    'kind: solution\nlanguage: c\ndirection: maximise\nproblem: make x large\nlimits: {cpuSeconds: 10, compileSeconds: 60}\n',
  'evaluator.py':
    'def evaluate(instance, solution):\n    return {"valid": True, "score": solution["x"], "metrics": {}, "reasons": []}\n',
  'initial.c': `${SLOW}#include <stdio.h>\n// EVOLVE-BLOCK-START\nstatic double x = 1.5;\n// EVOLVE-BLOCK-END\nint main(void) { char line[65536]; if (fgets(line, sizeof line, stdin)) printf("{\\"value\\": {\\"x\\": %g}}\\n", x); }\n#endif\n`,
};
const JUDGED = {
  'task.yaml':
    'title: T\nkind: script\ndirection: maximise\nevaluator: {network: model}\nlimits: {cpuSeconds: 20}\nstages: [{name: early, function: early}]\n',
  'evaluator.py': `import json, os, urllib.request

def ask(text):
    body = json.dumps({"model": "x", "messages": [{"role": "user", "content": text}]}).encode()
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, {"content-type": "application/json"})
    return len(json.load(urllib.request.urlopen(request))["choices"])

def early(path):
    return {"score": float(ask("early: " + open(path).read()))}

def evaluate(path):
    source = open(path).read()
    return {"score": float(len(source)), "answers": ask("whole: " + source)}
`,
  'initial.py': 'import math\n\ndef solve(x=1.5):\n    return 3 * math.sqrt(x) + 2\n',
};

/** A process of this machine, in whatever container. */
const isRunning = (name: string): boolean =>
  readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === name;
    } catch {
      return false;
    }
  });

describe('a worker that is killed in the middle of an evaluation', () => {
  const live = liveHome('kills');
  const root = mkdtempSync(join(tmpdir(), 'evolve-kills-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it.each([
    ['in a compile', COMPILED, null],
    ['in a call of the first stage', JUDGED, 'early'],
    ['in a call of the whole evaluation, behind a stage', JUDGED, 'whole'],
  ] as const)('%s', async (name, files, asks) => {
    const run = name.replaceAll(/\W+/g, '-');
    const folder = join(root, run);
    mkdirSync(folder);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    let isAsked = false;
    const judge = await endpointFor({
      models: ['judge'],
      latencyMs: (_, prompt) => {
        isAsked ||= prompt.includes(`${asks}: `);
        return 1_000;
      },
    });
    const writer = await endpointFor({ models: ['writer'] });
    await live.engine.start(run, {
      ...{ method: 'greedy-refine', task: folder, seed: 4, batch: 1, responses: 1, limits: { steps: 2 } },
      model: { name: 'writer', baseUrl: writer.url },
      ...(asks === null
        ? {}
        : {
            evaluation: { modelCalls: 2, modelTokens: 50_000 },
            models: [{ name: 'judge', baseUrl: judge.url, roles: ['evaluator'], maxTokens: 500 }],
          }),
    });
    await until('the moment', 240_000, async () => (asks === null ? isRunning('cc1') : isAsked));
    await live.home.kill('sandbox');
    expect(await live.engine.ended(run, 240_000)).toMatchObject({ status: 'finished', committedStep: 2 });
    const programs = [];
    for await (const program of live.engine.store.eachProgram(run)) programs.push(program);
    const keys = [...new Set(programs.flatMap(({ evaluation }) => evaluation ?? []))];
    const evaluations = [...(await live.engine.store.getEvaluations(keys)).values()];
    expect(evaluations).toHaveLength(keys.length);
    expect(keys.length).toBeGreaterThan(1);
    for (const evaluation of evaluations) expect(evaluation).toMatchObject({ outcome: 'valid', reasons: [] });
    if (asks === null) return expect(readdirSync(join(live.home.dir, 'builds'))).toHaveLength(keys.length);
    const prompts = judge.asked.map(({ prompt }) => prompt);
    expect(prompts).toHaveLength(2 * keys.length);
    expect(new Set(prompts).size).toBe(prompts.length);
  });
});
