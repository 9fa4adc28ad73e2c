// One job of `evolve task` outside any run: evaluates a program or a solution of a task folder in containers, or checks
// the folder. It reads the job as JSON from stdin and writes one JSON object a line. It holds the Docker socket and no
// model key.
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { json } from 'node:stream/consumers';
import { createBenches } from '../activities/check/bench.ts';
import { checkTask } from '../activities/check/check-task.ts';
import type { CheckPart } from '../activities/check/findings.ts';
import { parseStrictJson } from '../activities/sandbox/contract/strict-json.ts';
import { InfrastructureError, type Models } from '../activities/sandbox/contract/types.ts';
import type { EvaluationJob, Evaluator } from '../activities/sandbox/host/evaluator.ts';
import { hiddenDraws } from '../activities/sandbox/host/hidden-draws.ts';
import { quarantining } from '../activities/sandbox/host/quarantine.ts';
import { createStaged } from '../activities/sandbox/stages/staged.ts';
import type { Isolation } from '../activities/sandbox/levels/level.ts';
import { readTask } from '../activities/task/load-task.ts';
import { registerOutsideLevels } from '../deploy/host/outside-levels.ts';
import { brokenOf, mutantsOf } from '../deploy/offline-model/mutate/mutants.ts';
import type { Task } from '../evolution/task/task.ts';
import { trustOf } from '../evolution/task/trust.ts';
import { noteChecked } from './roles/checked.ts';
import { trialSecret } from './roles/draw-secret.ts';
import { isolationEnvironment } from './process/environment.ts';
import { buildsOf, createIsolations } from './roles/isolation.ts';
import { levelName } from '../evolution/methods/rules/task-fit.ts';

export type TrialJob =
  | {
      readonly kind: 'program';
      readonly folder?: string;
      readonly task?: Task;
      readonly code: string | null;
      readonly times: number;
      /** Programs that are evaluated once each behind it. */
      readonly others: readonly string[];
      readonly seed: number;
      readonly smoke: boolean;
      readonly holdout: boolean;
      /** Whose draws a function task uses; `each` has others for each of the `times`. */
      readonly draws: string;
      /** From which hidden data are drawn: of a run that of its installation, else null for that of trials. */
      readonly drawSecret: string | null;
      readonly isolation: string | null;
    }
  | {
      readonly kind: 'check';
      readonly folders: readonly string[];
      readonly parts: readonly CheckPart[] | null;
      readonly full: boolean;
      readonly isolation: string | null;
    }
  /** The solution is JSON text, which is read as a program's is. */
  | {
      readonly kind: 'solution';
      readonly folder: string;
      readonly solution: string;
      readonly isolation: string | null;
    };

const say = (value: unknown): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`);
};
const signal = AbortSignal.any([]);
const job = (await json(process.stdin)) as TrialJob;
registerOutsideLevels(process.env);
const environment = isolationEnvironment(process.env, availableParallelism());
// Log lines are for people and must not stand between the answers on stdout.
console.log = (...words: unknown[]) => {
  process.stderr.write(`${words.join(' ')}\n`);
};

let asked = 0;
type Replied = { readonly program: string } & (
  | { readonly replies: Awaited<ReturnType<Models['answer']>> }
  | { readonly error: string }
);
/** Models are asked by the process that started this one. */
const models = (): Models => {
  // One command may start several such processes.
  const program = `${process.pid}:${(asked += 1)}`;
  return {
    answer: (requests) =>
      new Promise((resolve, reject) => {
        const hear = (said: Replied): void => {
          if (said.program !== program) return;
          process.off('message', hear);
          if ('error' in said) reject(new InfrastructureError(said.error));
          else resolve(said.replies);
        };
        process.on('message', hear);
        process.send!({ program, requests });
      }),
  };
};
const asking = (evaluator: Evaluator): Evaluator =>
  process.connected
    ? { ...evaluator, evaluate: (job, stop) => evaluator.evaluate({ ...job, models: models() }, stop) }
    : evaluator;

const evaluatorOf = (
  isolation: Isolation,
  task: Task,
  drawSecret: string | null,
): { readonly evaluator: Evaluator; readonly close: () => Promise<void> } => {
  const { sandbox, gate, scorerFor } = isolation;
  const { evaluator, close } = createStaged({
    ...{ sandbox, gate, scorerFor, task },
    hidden: hiddenDraws(drawSecret ?? trialSecret(environment.home)),
    around: (one) => quarantining(one, task),
    builds: buildsOf(environment.home),
  });
  return { evaluator: asking(evaluator), close };
};

const isolations = createIsolations(environment);

/** The named level, or the one that a run of the task gets; the machine's own where the task cannot be read. */
const isolationOf = async (task: Task | null): Promise<Isolation> => {
  if (task?.script?.network !== undefined && !process.connected)
    throw new Error(
      `the evaluator of ${task.id} asks a model: \`npx evolve task score\` takes its settings as a run does (--set evaluation.modelCalls=5)`,
    );
  return isolations.get(
    job.isolation ??
      (task === null
        ? environment.sandbox
        : levelName({ sandbox: 'auto', runtime: 'engine' }, task, environment.sandbox)),
    task,
  );
};

const programs = async (given: Extract<TrialJob, { kind: 'program' }>): Promise<void> => {
  const stored = given.task ?? (await readTask(given.folder!));
  const task = given.smoke ? { ...stored, instance: { ...stored.instance, ...stored.smoke } } : stored;
  const { evaluator, close } = evaluatorOf(await isolationOf(task), task, given.drawSecret);
  try {
    const codes = [...Array.from({ length: given.times }, () => given.code ?? task.initialProgram), ...given.others];
    for (const [time, code] of codes.entries()) {
      const one: EvaluationJob = {
        key: `trial:${process.pid}:${time}`,
        run: 'trial',
        code,
        seed: given.seed + (time < given.times ? time : 0),
        acceptSavedOnTimeout: true,
        scoring: 'tolerant',
        holdout: given.holdout,
        draws: given.draws === 'each' ? `trial:${time}` : given.draws,
      };
      say({ evaluation: await evaluator.evaluate(one, signal), seed: one.seed });
    }
  } finally {
    await close();
  }
};

const solution = async (given: Extract<TrialJob, { kind: 'solution' }>): Promise<void> => {
  const task = await readTask(given.folder);
  const read = parseStrictJson(Buffer.from(given.solution), task.limits.outputBytes);
  const scorer = (await isolationOf(task)).scorerFor(task);
  try {
    say({ score: await scorer.score(read, signal) });
  } finally {
    await scorer.close();
  }
};

const check = async (given: Extract<TrialJob, { kind: 'check' }>): Promise<void> => {
  for (const folder of given.folders) {
    const task = await readTask(folder).catch(() => null);
    const { sandbox, gate, scorerFor } = await isolationOf(task);
    const { make } = createBenches({ sandbox, gate, scorer: scorerFor, builds: buildsOf(environment.home) });
    const findings = await checkTask(folder, {
      bench: (one) => {
        const bench = make(one);
        return { ...bench, evaluator: asking(bench.evaluator) };
      },
      parts: given.parts ?? undefined,
      full: given.full,
      changes: (one) => ({
        broken: brokenOf(one.initialProgram),
        mutants: mutantsOf(one.initialProgram, one.script?.files[one.script.file] ?? ''),
      }),
      concurrency: environment.concurrency,
      say: (finding) => say({ finding }),
    });
    const level = task === null ? null : trustOf(task.kind, findings);
    const ok = findings.every((finding) => finding.ok);
    if (task !== null) noteChecked(environment.home, { evaluatorDigest: task.evaluatorDigest, trust: level, ok });
    say({ level, task: basename(folder) });
  }
};

try {
  switch (job.kind) {
    case 'program':
      await programs(job);
      break;
    case 'check':
      await check(job);
      break;
    case 'solution':
      await solution(job);
      break;
  }
} catch (error) {
  say({ error: error instanceof Error ? error.message : String(error) });
} finally {
  await isolations.each((one) => one.close());
  if (process.connected) process.disconnect();
}
