// evolve list: every run, newest first.
import { pageText, servedPage } from '../../../client/connect/page-address.ts';
import { act, describe } from '../../flags/command.ts';
import { type SelectionFlags, withSelection } from '../../flags/many.ts';
import { withEvolve } from '../../flags/open.ts';
import { json, line } from '../../terminal/output.ts';
import { runTable } from '../../terminal/run-table.ts';
import { statePaint, widthOf } from '../../terminal/screen.ts';

export const listCommand = () =>
  withSelection(describe('list')).action(
    act(async (context, { sweep, state, where }: SelectionFlags) =>
      withEvolve(context, async (evolve) => {
        const runs = await evolve.list({ sweep, state, where });
        if (context.json) return json(runs);
        if (runs.length === 0)
          return line(
            sweep === undefined && state === undefined && where === undefined
              ? 'no runs yet: start one with `npm start` or `npx evolve run`'
              : 'there are no such runs: `npx evolve list` shows all',
          );
        for (const text of runTable(runs, widthOf(process.stdout), statePaint(process.stdout))) line(text);
        const page = servedPage(context);
        if (page !== null && process.stdout.isTTY) line(`\npage: ${pageText(page)}`);
      }),
    ),
  );
