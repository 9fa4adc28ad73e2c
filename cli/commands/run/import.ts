// evolve import: a run from the files that `evolve export` wrote, here or elsewhere.
import { resolve } from 'node:path';
import { act, describe } from '../../flags/command.ts';
import { withEvolve } from '../../flags/open.ts';
import { json, line, note } from '../../terminal/output.ts';

export const importCommand = () =>
  describe('import')
    .argument('<folder>', 'what `evolve export` wrote')
    .addHelpText(
      'after',
      '\nThe files are checked first; nothing is changed where they are damaged or the run is here already.',
    )
    .action(
      act(async (context, _options: { readonly json?: boolean }, folder: string) =>
        withEvolve(context, async (evolve) => {
          const report = await evolve.import(resolve(folder));
          if (context.json) return json(report);
          const { run, committedStep, lostTexts, notIncluded, imported } = report;
          line(`${run}: imported up to step ${committedStep}`);
          for (const other of imported.filter((id) => id !== run)) line(`  with run ${other}, which it was forked off`);
          if (lostTexts > 0) note(`warning: ${lostTexts} texts were lost before the export`);
          if (notIncluded !== undefined) note(`note: the export is without ${notIncluded}`);
          line(
            `\`npx evolve rebuild ${run}\` checks it; \`npx evolve resume ${run}\` goes on, \`npx evolve extend ${run} --steps n\` where it is finished`,
          );
        }),
      ),
    );
