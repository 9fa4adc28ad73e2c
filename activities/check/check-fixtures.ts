// Checks golden cases, the honest solution and the gold files against the task's evaluator (docs/tasks.md, Fixtures).
import { dirname } from 'node:path';
import type { Evaluation } from '../../evolution/scoring/evaluation.ts';
import type { Task } from '../../evolution/task/task.ts';
import type { Score } from '../sandbox/contract/types.ts';
import { better, type Context, evaluated, initialAtBest, near, RELATIVE } from './findings.ts';
import { type Gold, type Golden, programOf, readGold, readGolden, readHonest } from './fixtures.ts';

/**
 * Runs a golden case that is written in Python in the trusted container, as a probe behind the evaluator's source. The
 * case is an expression, or a script that sets `solution`, and all names of the evaluator are there. What it makes
 * travels as JSON would carry it. For a `function` task it is a dict of numbers, which are compared as they are.
 */
const PROBE = `
_task_evaluate = evaluate

def evaluate(instance, case):
    import json

    import numpy

    def plain(value):
        if isinstance(value, (numpy.ndarray, numpy.generic)):
            return value.tolist()
        raise TypeError(f"expected plain data, got {type(value).__name__}")

    space = {**globals(), "instance": {**instance, **case["instance"]}, "numpy": numpy, "np": numpy}
    try:
        made = eval(compile(case["python"], "<golden>", "eval"), space)
    except SyntaxError:
        exec(compile(case["python"], "<golden>", "exec"), space)
        made = space["solution"]
    if case["direct"]:
        return {"valid": True, "score": made.get("score", 0.0), "metrics": made, "reasons": []}
    return _task_evaluate({**instance, **case["instance"]}, json.loads(json.dumps(made, default=plain, allow_nan=False)))
`;

const withProbe = (task: Task): Task => ({ ...task, evaluatorSource: `${task.evaluatorSource}\n${PROBE}` });

/** An evaluator must finish within seconds. */
const MAX_SCORING_MS = 20_000;

type Scored = Pick<Score, 'valid' | 'score' | 'strictScore' | 'metrics' | 'reasons'>;

const ofProgram = ({ outcome, score, strictScore, metrics, reasons }: Evaluation): Scored => ({
  valid: outcome === 'valid',
  score,
  strictScore,
  metrics,
  reasons,
});

/** The reason for which a score is not the expected one; null when it is. */
const difference = (
  { expected, tolerance = RELATIVE }: Pick<Golden, 'expected' | 'tolerance'>,
  got: Scored,
): string | null => {
  if (got.valid !== expected.valid)
    return `expected valid: ${expected.valid}, got ${got.valid}${got.reasons.length > 0 ? ` (${got.reasons[0]})` : `, ${got.score}`}`;
  if (got.reasons[0]?.startsWith('the evaluator failed'))
    return `expected a verdict, the evaluator raised: ${got.reasons[0]}`;
  if (!expected.valid)
    return got.score !== null || got.strictScore !== null
      ? 'expected no score for an invalid solution'
      : got.reasons.length === 0
        ? 'expected a reason'
        : null;
  const values: { readonly [name: string]: unknown } = {
    ...got.metrics,
    score: got.score,
    strictScore: got.strictScore,
    valid: true,
  };
  for (const [name, value] of Object.entries(expected)) {
    const found = values[name];
    if (typeof value === 'number' && typeof found === 'number' ? !near(found, value, tolerance) : found !== value)
      return `${name}: expected ${String(value)}, got ${String(found)}`;
  }
  return null;
};

const run = (context: Context, task: Task, code: string, key: string): Promise<Evaluation> =>
  evaluated(context, task, { key, code, seed: 1, acceptSavedOnTimeout: true });

const goldenScore = async (context: Context, one: Golden): Promise<Scored> => {
  const { task, signal, folder } = context;
  if (one.program !== undefined)
    return ofProgram(
      await run(
        context,
        { ...task, instance: { ...task.instance, ...one.instance } },
        await programOf(`${folder}/fixtures`, one.program),
        `golden ${one.name}`,
      ),
    );
  if (one.python === undefined && one.instance === undefined)
    return context.bench().scorer.score(one.solution!, signal);
  const python = one.python ?? `__import__("json").loads(${JSON.stringify(JSON.stringify(one.solution))})`;
  return context
    .bench(withProbe(task))
    .scorer.score({ python, instance: one.instance ?? {}, direct: task.kind === 'function' }, signal);
};

export const checkGolden = async (context: Context): Promise<void> => {
  for (const one of await readGolden(context.folder)) {
    if (one.program !== undefined && context.options.goldenPrograms === false) continue;
    const got = await goldenScore(context, one);
    const wrong = difference(one, got);
    context.note(
      `golden: ${one.name}`,
      wrong === null,
      wrong ?? (got.valid ? `${got.score}` : `invalid: ${got.reasons[0] ?? ''}`),
    );
  }
};

/** The answers to a question put twice. */
const twice = async (ask: () => Promise<Scored>): Promise<readonly [Scored, boolean, number]> => {
  const startedAt = performance.now();
  const first = await ask();
  const ms = performance.now() - startedAt;
  return [first, JSON.stringify(await ask()) === JSON.stringify(first), ms];
};

export const checkHonest = async (context: Context): Promise<void> => {
  const { task, note, signal } = context;
  if (task.kind === 'function') return;
  const { solution, score } = await readHonest(context.folder);
  const [got, same] = await twice(() => context.bench().scorer.score(solution, signal));
  const wrong = difference({ expected: { valid: true, score } }, got);
  note('honest: scores what it says', wrong === null, wrong ?? `${got.score}`);
  note('honest: scored twice, the same answer', same, same ? 'identical' : 'the answers differ');
  const best = initialAtBest(task);
  note(
    'honest: no better than the initial program',
    best === null || !better(task, score, best),
    `${score}, the initial program ${best}`,
  );
};

const strictOf = ({ strict, score }: Gold): { readonly strictScore?: number } =>
  typeof strict === 'number' ? { strictScore: strict } : strict === true ? { strictScore: score } : {};

/** A program that takes longer is run only in a full check. */
const MAX_PROGRAM_SECONDS = 10;

/** Solutions are scored twice; programs only in a full check. */
const scoreGold = async (context: Context, gold: Gold): Promise<readonly [Scored, boolean | null, number | null]> => {
  if (gold.program === undefined) return twice(() => context.bench().scorer.score(gold.solution!, context.signal));
  const code = await programOf(dirname(gold.file), gold.program);
  const ask = async (): Promise<Scored> => ofProgram(await run(context, context.task, code, `gold ${gold.name}`));
  if (context.options.full !== true) return [await ask(), null, null];
  const [got, same] = await twice(ask);
  return [got, same || context.task.timed === true, null];
};

const noteGold = async (context: Context, gold: Gold): Promise<void> => {
  const {
    task: { bound, ...task },
    note,
  } = context;
  const name = `gold: ${gold.name}`;
  const [got, same, ms] = await scoreGold(context, gold);
  const wrong = difference(
    {
      expected: { valid: true, score: gold.score, ...strictOf(gold) },
      ...(gold.tolerance === undefined ? {} : { tolerance: gold.tolerance }),
    },
    got,
  );
  note(
    name,
    wrong === null,
    wrong ??
      `${got.score}${got.strictScore === got.score ? '' : ` (strict ${got.strictScore})`}, made in ${gold.seconds} s`,
  );
  if (same !== null) note(`${name}: scored twice, the same answer`, same, same ? 'identical' : 'the answers differ');
  if (ms !== null)
    note(`${name}: scored within seconds`, ms <= MAX_SCORING_MS, `${Math.round(ms)} ms, at most ${MAX_SCORING_MS}`);
  const claimed = got.strictScore ?? got.score;
  if (bound && claimed !== null)
    note(`${name}: not beyond the bound`, !better(task, claimed, bound.value), `${claimed}, the bound ${bound.value}`);
};

export const checkGold = async (context: Context): Promise<void> => {
  for (const gold of await readGold(context.folder)) {
    if (gold.program !== undefined && gold.seconds > MAX_PROGRAM_SECONDS && context.options.full !== true)
      context.note(`gold: ${gold.name}`, true, `not run: it takes ${gold.seconds} s; a full check runs it`);
    else await noteGold(context, gold);
  }
};
