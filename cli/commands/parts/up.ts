// evolve up: sets up and starts what is missing; leaves alone what runs already.
import { temporalUi } from '../../../client/connect/connection.ts';
import { pageText, servedPage } from '../../../client/connect/page-address.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { payloadKeysOf } from '../../../client/connect/payload-keys.ts';
import { FIRST_VIEWS, viewUrl } from '../../../client/temporal/ui-views.ts';
import { withoutPassword } from '../../../deploy/servers/external-servers.ts';
import { readUp } from '../../../deploy/supervisor/plan.ts';
import { act, type Context, describe } from '../../flags/command.ts';
import { json, line, note, sayer } from '../../terminal/output.ts';
import { startForm } from './views.ts';

type Options = {
  readonly json?: boolean;
  readonly takeNamespace?: boolean;
  readonly endRuns?: boolean;
  readonly learn?: boolean;
  readonly runtime?: string;
};

export const upCommand = () =>
  describe('up')
    .option(
      '--take-namespace',
      'give the Temporal namespace to this database; only where the installation that worked in it is gone',
    )
    .option(
      '--end-runs',
      'with --take-namespace: end the open runs and sweeps of the other database, pause its schedules',
    )
    .option('--learn', 'also set up and start what runs that learn need: PyTorch, the trainer, its worker')
    .option('--no-learn', 'from now on without those; policies stay')
    .option(
      '--runtime <name>',
      'runsc: from now on with gVisor, which must be installed, for runs with evaluation.runtime runsc; engine: without it',
    )
    .action(
      act(async (context, { takeNamespace, endRuns = false, learn, runtime }: Options) => {
        if (endRuns && !takeNamespace)
          throw new UsageError(
            '--end-runs: expected together with --take-namespace; `npx evolve stop <run>` ends a run of this database',
          );
        if (runtime !== undefined && runtime !== 'runsc' && runtime !== 'engine')
          throw new UsageError(
            `--runtime: expected runsc or engine, got ${JSON.stringify(runtime)}; other runtimes are added to the engine by hand (docs/operations/sandbox.md)`,
          );
        // Workers would refuse them only after those before them were stopped.
        payloadKeysOf(context);
        const { up } = await import('../../../deploy/stack/stack.ts');
        const { markLearning, unmarkLearning } = await import('../../../deploy/stack/learning.ts');
        const { prepareHome } = await import('../../../deploy/host/home.ts');
        prepareHome(context.home);
        if (runtime !== undefined) {
          const { markRuntime } = await import('../../../deploy/stack/oci-runtimes.ts');
          markRuntime(context.home, runtime);
        }
        if (learn === true) markLearning(context.home, 'reference');
        if (learn === false) unmarkLearning(context.home);
        const print = context.json ? note : line;
        let took = false;
        await up(
          context.home,
          sayer(print),
          process.env,
          takeNamespace
            ? async () => {
                await taken(context, endRuns, print);
                took = true;
              }
            : undefined,
        );
        if (takeNamespace && !took)
          note('note: --take-namespace: nothing to take, the namespace works with this database already');
        const page = servedPage(context);
        const info = readUp(context.home);
        const ui = temporalUi(context);
        const views = ui === null ? [] : FIRST_VIEWS.map((view) => [view.name, viewUrl(ui, view, { save: false })]);
        const start = ui === null ? null : await startForm(context, ui);
        const { defaultModel, rememberDefaultModel } = await import('../../../client/connect/default-model.ts');
        const refused = rememberDefaultModel(context);
        if (refused !== null) note(`note: ${refused}`);
        sayer(print)('models', defaultModel(context).detail);
        if (context.json)
          return json(
            info && {
              ...info,
              database: { ...info.database, uri: withoutPassword(info.database.uri) },
              page: page?.url ?? null,
              views: Object.fromEntries(views) as Readonly<Record<string, string>>,
              start,
            },
          );
        line(`everything is up under ${context.home.root}; \`npx evolve down\` stops it`);
        if (page !== null) line(`page: ${pageText(page)}`);
        if (ui === null) return;
        line(`Temporal UI: ${ui.base}`);
        for (const [name, url] of views) line(`  ${name}: ${url}`);
        if (start !== null) line(`  start a run (workflow id run/my-run): ${start}`);
        line('  all views, and how the columns are set: npx evolve views');
      }),
    );

/** Takes the namespace. The servers run by then, and the workers have said that the namespace is another database's. */
const taken = async (context: Context, endRuns: boolean, print: (text: string) => void): Promise<void> => {
  const { takeNamespace } = await import('../../../client/connect/namespace.ts');
  const { workflows, schedules } = await takeNamespace(context, { endRuns });
  const say = sayer(print);
  for (const id of workflows) say('temporal', `${id} of the other database is terminated`);
  for (const id of schedules) say('temporal', `schedule ${id} of the other database is paused`);
  say('temporal', 'the namespace works with this database from now on');
};
