// evolve steps: one line a committed step; with --all those too that were rewound or reset.
import type { StepLine } from '../../client/views.ts';
import { act, describe, RUN_ARGUMENT } from '../flags/command.ts';
import { withRun } from '../flags/open.ts';
import { jsonLine, line, score, table } from '../terminal/output.ts';

type Options = { readonly json?: boolean; readonly all?: boolean };

export const stepsCommand = () =>
  describe('steps', 'list the committed steps of a run')
    .argument(...RUN_ARGUMENT)
    .option('--all', 'first those that were rewound or reset; `evolve show` shows their programs')
    .action(
      act(async (context, { all = false }: Options, id: string) =>
        withRun(context, id, async (run) => {
          const steps: StepLine[] = [];
          for await (const step of run.steps({ all })) steps.push(step);
          if (context.json) {
            for (const step of steps) jsonLine(step);
            return;
          }
          if (steps.length === 0) return line(`${run.id} has committed no step yet`);
          for (const text of stepTable(steps)) line(text);
        }),
      ),
    );

export const stepTable = (steps: readonly StepLine[]): readonly string[] =>
  table(
    steps.map(({ step, generation, epoch, settings, programs, valid, best, at, superseded, inheritedFrom }) => [
      `step ${step}`,
      `generation ${generation}`,
      `epoch ${epoch}`,
      `settings ${settings}`,
      `${programs} programs`,
      `${valid} valid`,
      `best ${score(best?.score)}`,
      at.toISOString().slice(0, 19).replace('T', ' '),
      superseded ? 'superseded' : inheritedFrom === null ? '' : `of ${inheritedFrom}`,
    ]),
  );
