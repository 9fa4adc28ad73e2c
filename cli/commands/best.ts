// evolve best: the best program of a run, its code or its solution.
import { act, describe, RUN_ARGUMENT } from '../command.ts';
import { BadEndError } from '../library/errors.ts';
import { withStoredRun } from '../open.ts';
import { json, line, score } from '../output.ts';
import { readProgram } from '../solution.ts';

type Options = { readonly json?: boolean; readonly solution?: boolean; readonly code?: boolean };

export const bestCommand = () => describe('best', 'show the best program of a run')
  .argument(...RUN_ARGUMENT)
  .option('--solution', 'print its solution as JSON')
  .option('--code', 'print its code')
  .action(act(async (context, options: Options, id: string) => withStoredRun(context, id, async (run, store) => {
    const found = run.best === null ? null : await readProgram(store, run.best.program);
    if (run.best === null || found === null) throw new BadEndError(`run ${run.run} has no valid program yet`);
    const { code, solution } = found;
    if (options.solution && !options.code) {
      if (solution === null) throw new BadEndError(`the solution of ${run.best.program} was not stored`);
      return line(solution.trimEnd());
    }
    if (options.code && !options.json && !options.solution) return line((code ?? '').trimEnd());
    if (context.json) {
      return json({
        run: run.run, program: run.best.program, score: run.best.score, strictScore: run.best.strictScore, step: run.best.step,
        ...(options.code ? { code } : {}), ...(options.solution && solution !== null ? { solution: JSON.parse(solution) as unknown } : {}),
      });
    }
    line(`${run.best.program}  ${score(run.best.score)} tolerant, ${score(run.best.strictScore)} strict, ${run.best.step === 0 ? 'the initial program' : `step ${run.best.step}`}`);
    line(`\`npx evolve best ${run.run} --code\` prints the program, \`--solution\` its solution`);
  })));
