// evolve best: the best program of a run, its code or its solution.
import { besideHidden, readProgram } from '../../../activities/results/program-texts.ts';
import { drawsOf, type RunDocument } from '../../../activities/store/documents/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { BadEndError, UsageError } from '../../../client/connect/errors.ts';
import { INVENTED, inventsScores } from '../../../evolution/config/noop.ts';
import { act, type Context, describe, RUN_ARGUMENT } from '../../flags/command.ts';
import { withStoredRun } from '../../flags/open.ts';
import { content, json, line, score } from '../../terminal/output.ts';
import { hiddenText, judgementText } from '../../terminal/solution.ts';

type Options = {
  readonly json?: boolean;
  readonly solution?: boolean;
  readonly code?: boolean;
  readonly hidden?: boolean;
};

export const bestCommand = () =>
  describe('best')
    .argument(...RUN_ARGUMENT)
    .option('--solution', 'print its solution as JSON')
    .option('--code', 'print its code')
    .option('--hidden', 'for a function task: run it once more, on hidden instances, which never decide a ranking')
    .action(
      act(async (context, options: Options, id: string) =>
        withStoredRun(context, id, async (run, store) => {
          const found = run.best === null ? null : await readProgram(store, run.best.program);
          if (run.best === null || found === null) throw new BadEndError(`run ${run.run} has no valid program yet`);
          const { code, solution, hidden, idea } = found;
          if (options.hidden) return onHidden(context, store, run, code ?? '');
          if (options.solution && !options.code) {
            if (solution === null) throw new BadEndError(`the solution of ${run.best.program} was not stored`);
            return content(solution.trimEnd());
          }
          if (options.code && !options.json && !options.solution) return content((code ?? '').trimEnd());
          if (context.json) {
            return json({
              run: run.run,
              program: run.best.program,
              score: run.best.score,
              strictScore: run.best.strictScore,
              step: run.best.step,
              reward: found.program.reward,
              ...(idea === null ? {} : { idea }),
              ...(inventsScores(run.config) ? { scoresInvented: true } : {}),
              ...(hidden === null
                ? {}
                : {
                    hidden: {
                      outcome: hidden.result.outcome,
                      score: hidden.result.score,
                      metrics: hidden.result.metrics,
                      reasons: hidden.result.reasons,
                      direction: hidden.direction,
                      initial: hidden.initial,
                    },
                  }),
              ...(options.code ? { code } : {}),
              ...(options.solution && solution !== null ? { solution: JSON.parse(solution) as unknown } : {}),
            });
          }
          line(
            `${run.best.program}  ${score(run.best.score)} tolerant, ${score(run.best.strictScore)} strict, ${run.best.step === 0 ? 'the initial program' : `step ${run.best.step}`}`,
          );
          if (inventsScores(run.config)) line(INVENTED);
          if (hidden !== null) line(hiddenText(hidden));
          if (idea !== null) {
            line(`its idea, ${judgementText(idea)}:`);
            for (const text of idea.text.trimEnd().split('\n')) line(`  ${text}`.trimEnd());
          }
          line(`\`npx evolve best ${run.run} --code\` prints the program, \`--solution\` its solution`);
        }),
      ),
    );

/** Beside the score, never fed to a model: public instances can be memorised. */
const onHidden = async (context: Context, store: Store, document: RunDocument, code: string): Promise<void> => {
  const [{ taskLoader, taskRef }, { tryProgram }] = await Promise.all([
    import('../../../activities/task/kept-task.ts'),
    import('../../../client/tasks/trial.ts'),
  ]);
  const { run, config, best } = document;
  const task = await taskLoader(store)(taskRef(document));
  const { id, kind, scoreName } = task;
  if (kind !== 'function') throw new UsageError(`--hidden: ${id} is a solution task: its instance is all there is`);
  const [trial] = await tryProgram(context, {
    task,
    code,
    times: 1,
    seed: config.evaluation.seed,
    smoke: false,
    holdout: true,
    draws: drawsOf(document),
    drawSecret: await store.readDrawSecret(),
    isolation: null,
  });
  const { outcome, score: hidden, metrics, reasons } = trial!.evaluation;
  const beside = await besideHidden(store, run);
  if (context.json)
    return json({
      run,
      program: best!.program,
      score: best!.score,
      hidden: { outcome, score: hidden, metrics, reasons, ...beside },
    });
  const text = hiddenText({ result: trial!.evaluation, ...beside });
  line(`${best!.program}  ${scoreName} ${score(best!.score)}; ${text}`);
  for (const [name, value] of Object.entries(metrics))
    line(`  ${name} ${typeof value === 'number' ? score(value) : value}`);
};
