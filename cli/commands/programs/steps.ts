// evolve steps: one line a committed step; with --all those too that were rewound or reset.
import type { StepLine } from '../../../client/read/shapes.ts';
import { type Build, RUN_ARGUMENT } from '../../flags/command.ts';
import { onRun } from '../../flags/open.ts';
import { jsonLine, line, score, secondText, zoneText } from '../../terminal/output.ts';
import { RowFile, type RowFileOptions, withRowFile } from '../../terminal/row-file.ts';
import { heightOf, widthOf } from '../../terminal/screen.ts';
import { headed, table } from '../../terminal/table.ts';

type Options = RowFileOptions & { readonly all?: boolean };

export const build: Build = (command) =>
  withRowFile(command)
    .argument(...RUN_ARGUMENT)
    .option('--all', 'first those that were rewound or reset; `evolve show` shows their programs')
    .action(
      onRun(async (context, { all = false, ...options }: Options, run) => {
        const steps: StepLine[] = [];
        for await (const step of run.steps({ all })) steps.push(step);
        if (await RowFile.write(options, steps)) return;
        if (context.json) for (const step of steps) jsonLine(step);
        else if (steps.length === 0) line(`${run.id} has committed no step yet`);
        else for (const text of headed(stepTable(steps, widthOf(process.stdout)), heightOf(process.stdout))) line(text);
      }),
    );

export const stepTable = (steps: readonly StepLine[], width = Infinity): readonly string[] => {
  const time = `time (${zoneText(steps[0]?.at)})`;
  return table(
    [
      ['step', 'programs', 'valid', 'best', 'settings', 'generation', 'epoch', time, 'note'],
      ...steps.map(({ step, generation, epoch, settings, programs, valid, best, at, superseded, inheritedFrom }) => [
        String(step),
        String(programs),
        String(valid),
        score(best?.score),
        String(settings),
        String(generation),
        String(epoch),
        secondText(at),
        superseded ? 'superseded' : inheritedFrom === null ? '' : `of ${inheritedFrom}`,
      ]),
    ],
    { width, drop: ['epoch', 'generation', 'settings', time, 'valid', 'programs'], cut: { note: 12 } },
  );
};
