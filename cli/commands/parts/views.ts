// evolve views: the views of the Temporal UI, as addresses and as queries, and how its columns are set.
import { openEngine, temporalUi } from '../../../client/connect/connection.ts';
import { MissingError } from '../../../client/connect/errors.ts';
import { startFormUrl } from '../../../client/temporal/start-form.ts';
import { consoleLine, isComplete, UI_COLUMNS, UI_VIEWS, viewUrl } from '../../../client/temporal/ui-views.ts';
import type { TemporalUi } from '../../../client/connect/connection.ts';
import { act, type Context, describe } from '../../flags/command.ts';
import { json, line } from '../../terminal/output.ts';

export const viewsCommand = () =>
  describe('views').action(
    act(async (context: Context) => {
      const ui = temporalUi(context);
      if (ui === null)
        throw new MissingError(
          'expected a Temporal UI, and none is known: `npx evolve up` starts one with the development server; the queries are in docs/temporal-ui.md',
        );
      const start = await startForm(context, ui);
      if (context.json)
        return json({
          views: UI_VIEWS.map((view) => ({
            ...view,
            url: isComplete(view) ? viewUrl(ui, view, { save: false }) : null,
          })),
          start,
          columns: UI_COLUMNS,
          console: consoleLine(ui),
        });
      line('Views of the Temporal UI. An address opens the view and keeps it among the saved views of the browser:\n');
      for (const view of UI_VIEWS.filter(isComplete)) line(`${view.name}: ${viewUrl(ui, view, { save: true })}`);
      line('\nQueries in which the words in angle brackets are for you to fill in:\n');
      for (const view of UI_VIEWS.filter((one) => !isComplete(one))) line(`${view.name}: ${view.query}`);
      if (start !== null)
        line(`\nThe form that starts a run, filled in; give it the workflow id run/my-run:\n${start}`);
      line(
        `\nColumns and saved views live in the browser, and no address can set columns. To set both at once, open ${ui.base}, open the browser's console (F12) and paste this line:\n\n${consoleLine(ui)}`,
      );
    }),
  );

/** Null where the engine does not answer: the views themselves do not need it. */
export const startForm = async (context: Context, ui: TemporalUi): Promise<string | null> => {
  try {
    const engine = await openEngine(context);
    try {
      return await startFormUrl(engine, ui);
    } finally {
      await engine.close();
    }
  } catch {
    return null;
  }
};
