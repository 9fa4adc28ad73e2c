// evolve list: every run, newest first.
import { pageText, servedPage } from '../../../client/connect/page-address.ts';
import type { Build } from '../../flags/command.ts';
import { type SelectionFlags, withSelection } from '../../flags/many.ts';
import { onEvolve } from '../../flags/open.ts';
import { answer } from '../../terminal/output.ts';
import { runTable } from '../../terminal/run-table.ts';
import { statePaint } from '../../terminal/screen.ts';

export const build: Build = (command) =>
  withSelection(command).action(
    onEvolve(async (context, { sweep, state, where }: SelectionFlags, evolve) => {
      const runs = await evolve.list({ sweep, state, where });
      const all = sweep === undefined && state === undefined && where === undefined;
      const page = process.stdout.isTTY ? servedPage(context) : null;
      answer(context, runs, (width, height) =>
        runs.length === 0
          ? [
              all
                ? 'no runs yet: start one with `npm start` or `npx evolve run`'
                : 'there are no such runs: `npx evolve list` shows all',
            ]
          : [
              ...runTable(runs, width, statePaint(process.stdout), new Date(), height),
              ...(page === null ? [] : [`\npage: ${pageText(page)}`]),
            ],
      );
    }),
  );
