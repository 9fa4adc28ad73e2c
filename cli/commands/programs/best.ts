// evolve best: the best program of a run, its code or its solution.
import { withoutMarkers } from '../../../evolution/edits/language.ts';
import { besideHidden, type ProgramTexts, readProgram } from '../../../activities/results/program-texts.ts';
import { drawsOf, type RunDocument } from '../../../activities/store/documents/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { BadEndError, UsageError } from '../../../client/connect/errors.ts';
import { type Best, bestReport, hiddenReport } from '../../../client/rows/shown-program.ts';
import { INVENTED, inventsScores } from '../../../evolution/config/noop.ts';
import { type Build, type Context, RUN_ARGUMENT } from '../../flags/command.ts';
import { onStoredRun } from '../../flags/open.ts';
import { answer, content, note, score, scores } from '../../terminal/output.ts';
import { hiddenText, judgementText, metricLines } from '../../terminal/solution.ts';

type Options = {
  readonly solution?: boolean;
  readonly code?: boolean;
  readonly patch?: boolean;
  readonly hidden?: boolean;
};

export const build: Build = (command) =>
  command
    .argument(...RUN_ARGUMENT)
    .option('--solution', 'print its solution as JSON')
    .option('--code', 'print its code')
    .option('--patch', 'print what it changes in the files of its task, as a patch that `git apply` takes')
    .option('--hidden', 'for a function task: run it once more, on hidden instances, which never decide a ranking')
    .action(
      onStoredRun(async (context, options: Options, run, store) => {
        const texts = run.best === null ? null : await readProgram(store, run.best.program);
        if (run.best === null || texts === null) throw new BadEndError(`run ${run.run} has no valid program yet`);
        const { code, solution } = texts;
        if (options.hidden) return onHidden(context, store, run, code ?? '');
        const patch = options.patch ? await patchText(store, run, code ?? '') : null;
        if (patch !== null && !context.json) return content(patch);
        if (options.solution && !options.code) {
          if (solution === null) throw new BadEndError(`the solution of ${run.best.program} was not stored`);
          return content(solution);
        }
        if (options.code && !context.json && !options.solution) return content(withoutMarkers(code ?? ''));
        const { best } = run;
        answer(context, { ...bestReport(run, best, texts, options), ...(patch !== null && { patch }) }, () =>
          bestLines(run, best, texts),
        );
      }),
    );

const patchText = async (store: Store, run: RunDocument, code: string): Promise<string> => {
  const [{ taskOf }, { patchOf }] = await Promise.all([
    import('../../../client/connect/loaded-late.ts'),
    import('../../../evolution/files/patch.ts'),
  ]);
  const patch = patchOf(await taskOf(store, run), code);
  if (patch === null)
    throw new UsageError(
      '--patch: expected a task of several files, and the program of this one is one file: --code prints it',
    );
  if (patch === '') note('the best program is the initial one: there is nothing to patch');
  return patch;
};

const bestLines = ({ run, config }: RunDocument, best: Best, { hidden, idea }: ProgramTexts): readonly string[] => [
  `${best.program}  ${scores(best)}, ${best.step === 0 ? 'the initial program' : `step ${best.step}`}`,
  ...(inventsScores(config) ? [INVENTED] : []),
  ...(hidden === null ? [] : [hiddenText(hidden)]),
  ...(idea === null
    ? []
    : [
        `its idea, ${judgementText(idea)}:`,
        ...idea.text
          .trimEnd()
          .split('\n')
          .map((text) => `  ${text}`.trimEnd()),
      ]),
  `\`npx evolve best ${run} --code\` prints the program, \`--solution\` its solution`,
];

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
    seed: config.evaluation.seed,
    holdout: true,
    draws: drawsOf(document),
    drawSecret: await store.readDrawSecret(),
  });
  const { evaluation } = trial!;
  const beside = await besideHidden(store, run);
  const { program, score: value } = best!;
  answer(context, { run, program, score: value, hidden: hiddenReport(evaluation, beside) }, () => [
    `${program}  ${scoreName} ${score(value)}; ${hiddenText({ result: evaluation, ...beside })}`,
    ...metricLines(evaluation.metrics),
  ]);
};
