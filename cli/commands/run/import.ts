// evolve import: a run from the files that `evolve export` wrote, here or elsewhere.
import { resolve } from 'node:path';
import type { Build } from '../../flags/command.ts';
import { onEvolve } from '../../flags/open.ts';
import { answer, note } from '../../terminal/output.ts';

export const build: Build = (command) =>
  command
    .argument('<folder>', 'what `evolve export` wrote')
    .addHelpText(
      'after',
      '\nThe files are checked first; nothing is changed where they are damaged or the run is here already.',
    )
    .action(
      onEvolve(async (context, _, evolve, folder: string) => {
        const report = await evolve.import(resolve(folder));
        const { run, committedStep, lostTexts, notIncluded, imported } = report;
        if (!context.json && lostTexts > 0) note(`warning: ${lostTexts} texts were lost before the export`);
        if (!context.json && notIncluded !== undefined) note(`note: the export is without ${notIncluded}`);
        answer(context, report, () => [
          `${run}: imported up to step ${committedStep}`,
          ...imported.filter((id) => id !== run).map((other) => `  with run ${other}, which it was forked off`),
          `\`npx evolve rebuild ${run}\` checks it; \`npx evolve resume ${run}\` goes on, \`npx evolve extend ${run} --steps n\` where it is finished`,
        ]);
      }),
    );
