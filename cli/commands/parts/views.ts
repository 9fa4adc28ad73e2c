// evolve views: the views of the Temporal UI, as addresses and as queries, and how its columns are set.
import { type TemporalUi, temporalUi, withEngine } from '../../../client/connect/connection.ts';
import { MissingError } from '../../../client/connect/errors.ts';
import { START_FORMS, type StartForm, startFormUrl } from '../../../client/temporal/start-form.ts';
import { consoleLine, isComplete, UI_COLUMNS, UI_VIEWS, viewUrl } from '../../../client/temporal/ui-views.ts';
import { act, type Build, type Context } from '../../flags/command.ts';
import { answer } from '../../terminal/output.ts';
import { folded } from '../../terminal/screen.ts';

export const build: Build = (command) =>
  command.action(
    act(async (context) => {
      const ui = temporalUi(context);
      if (ui === null)
        throw new MissingError(
          'expected a Temporal UI, and none is known: `npx evolve up` starts one with the development server; the queries are in docs/temporal-ui.md',
        );
      const [start, startSweep] = [await startForm(context, ui, 'run'), await startForm(context, ui, 'sweep')];
      const views = UI_VIEWS.map((view) => ({
        ...view,
        url: isComplete(view) ? viewUrl(ui, view, { save: false }) : null,
      }));
      const paste = consoleLine(ui);
      answer(
        context,
        { views, start, startSweep, columns: UI_COLUMNS, console: paste },
        (width) => [
          ...folded(
            'Views of the Temporal UI. An address opens the view and keeps it among the saved views of the browser:',
            width,
          ),
          '',
          ...UI_VIEWS.filter(isComplete).map((view) => `${view.name}: ${viewUrl(ui, view, { save: true })}`),
          '\nQueries in which the words in angle brackets are for you to fill in:\n',
          ...UI_VIEWS.filter((one) => !isComplete(one)).map(({ name, query }) => `${name}: ${query}`),
          ...formLines('run', start),
          ...formLines('sweep', startSweep),
          '',
          ...folded(
            `Columns and saved views live in the browser, and no address can set columns. To set both at once, open ${ui.base}, open the browser's console (F12) and paste this line:`,
            width,
          ),
          `\n${paste}`,
        ],
        { whole: true },
      );
    }),
  );

const formLines = (form: StartForm, url: string | null): readonly string[] =>
  url === null ? [] : [`\nThe form that starts a ${form}; its workflow id is ${START_FORMS[form].starts}:\n${url}`];

/** Null where the engine does not answer: the views themselves do not need it. */
export const startForm = async (context: Context, ui: TemporalUi, form: StartForm): Promise<string | null> => {
  try {
    return await withEngine(context, (engine) => startFormUrl(engine, ui, form));
  } catch {
    return null;
  }
};
