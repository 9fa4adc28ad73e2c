// evolve list: every run, newest first.
import { act, describe } from '../flags/command.ts';
import { withEvolve } from '../flags/open.ts';
import { json, line } from '../terminal/output.ts';
import { runTable } from '../terminal/run-table.ts';
import { statePaint, widthOf } from '../terminal/screen.ts';

type Options = { readonly json?: boolean; readonly sweep?: string };

export const listCommand = () =>
  describe('list')
    .option('--sweep <name>', 'only the runs of this sweep')
    .action(
      act(async (context, { sweep }: Options) =>
        withEvolve(context, async (evolve) => {
          const runs = (await evolve.list()).filter((run) => sweep === undefined || run.sweep === sweep);
          if (context.json) return json(runs);
          if (runs.length === 0)
            return line(
              sweep === undefined
                ? 'no runs yet: start one with `npm start` or `npx evolve run`'
                : `there are no runs of a sweep "${sweep}": \`npx evolve sweep list\` shows all sweeps`,
            );
          for (const text of runTable(runs, widthOf(process.stdout), statePaint(process.stdout))) line(text);
        }),
      ),
    );
