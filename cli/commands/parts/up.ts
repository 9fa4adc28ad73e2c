// evolve up: sets up and starts what is missing; leaves alone what runs already.
import { type TemporalUi, temporalUi } from '../../../client/connect/connection.ts';
import { answeringPage, pageText } from '../../../client/connect/page-address.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { payloadKeysOf } from '../../../client/connect/payload-keys.ts';
import { FIRST_VIEWS, viewUrl } from '../../../client/temporal/ui-views.ts';
import { withoutPassword } from '../../../deploy/servers/external-servers.ts';
import { keepsEnding, readUp } from '../../../deploy/supervisor/plan.ts';
import { act, type Build, type Context } from '../../flags/command.ts';
import { answer, line, note, sayer } from '../../terminal/output.ts';
import { startForm } from './views.ts';

type Options = {
  readonly takeNamespace?: boolean;
  readonly endRuns?: boolean;
  readonly learn?: boolean;
  readonly runtime?: string;
};

export const build: Build = (command) =>
  command
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
      act(async (context, options: Options) => {
        checkOptions(options);
        // Workers would refuse them only after those before them were stopped.
        payloadKeysOf(context);
        await remember(context, options);
        const say = sayer(context.json ? note : line);
        await start(context, options, say);
        const { defaultModel, rememberDefaultModel } = await import('../../../client/connect/default-model.ts');
        const refused = rememberDefaultModel(context);
        if (refused !== null) note(`note: ${refused}`);
        say('models', defaultModel(context).detail);
        await tell(context, temporalUi(context));
      }),
    );

const checkOptions = ({ takeNamespace, endRuns, runtime }: Options): void => {
  if (endRuns && !takeNamespace)
    throw new UsageError(
      '--end-runs: expected together with --take-namespace; `npx evolve stop <run>` ends a run of this database',
    );
  if (runtime !== undefined && runtime !== 'runsc' && runtime !== 'engine')
    throw new UsageError(
      `--runtime: expected runsc or engine, got ${JSON.stringify(runtime)}; other runtimes are added to the engine by hand (docs/operations/sandbox.md)`,
    );
};

/** Keeps the choices that hold for every later `up` of this home. */
const remember = async ({ home }: Context, { learn, runtime }: Options): Promise<void> => {
  const { markLearning, unmarkLearning } = await import('../../../deploy/stack/learning.ts');
  const { markRuntime } = await import('../../../deploy/stack/oci-runtimes.ts');
  const { prepareHome } = await import('../../../deploy/host/home.ts');
  prepareHome(home);
  if (runtime === 'runsc' || runtime === 'engine') markRuntime(home, runtime);
  if (learn === true) markLearning(home, 'reference');
  if (learn === false) unmarkLearning(home);
};

type Say = ReturnType<typeof sayer>;

const start = async (context: Context, { takeNamespace, endRuns = false }: Options, say: Say): Promise<void> => {
  const { up } = await import('../../../deploy/stack/stack.ts');
  if (!takeNamespace) {
    await up(context.home, say);
    return;
  }
  let took = false;
  await up(context.home, say, process.env, async () => {
    await take(context, endRuns, say);
    took = true;
  });
  if (!took) note('note: --take-namespace: nothing to take, the namespace works with this database already');
};

/** Takes the namespace. The servers run by then, and the workers have said that the namespace is another database's. */
const take = async (context: Context, endRuns: boolean, say: Say): Promise<void> => {
  const { takeNamespace } = await import('../../../client/connect/namespace.ts');
  const { workflows, schedules } = await takeNamespace(context, { endRuns });
  for (const id of workflows) say('temporal', `${id} of the other database is terminated`);
  for (const id of schedules) say('temporal', `schedule ${id} of the other database is paused`);
  say('temporal', 'the namespace works with this database from now on');
};

/** The page starts when everything else is there. */
const PAGE_MS = 20_000;

const tell = async (context: Context, ui: TemporalUi | null): Promise<void> => {
  const page = context.env['EVOLVE_PAGE'] === 'off' ? null : await answeringPage(context, PAGE_MS);
  const info = readUp(context.home);
  for (const text of keepsEnding(info)) note(`note: ${text}`);
  const views = ui === null ? [] : FIRST_VIEWS.map((view) => [view.name, viewUrl(ui, view, { save: false })] as const);
  const start = ui === null ? null : await startForm(context, ui, 'run');
  const document = info && {
    ...info,
    database: { ...info.database, uri: withoutPassword(info.database.uri) },
    page: page?.url ?? null,
    views: Object.fromEntries(views) as Readonly<Record<string, string>>,
    start,
  };
  answer(context, document, () => [
    `everything is up under ${context.home.root}; \`npx evolve down\` stops it`,
    ...(page !== null
      ? [`page: ${pageText(page)}`]
      : context.env['EVOLVE_PAGE'] === 'off'
        ? []
        : ['page: it does not answer yet; `npx evolve ui` prints its address, `npx evolve doctor` says what is wrong']),
    ...(ui === null
      ? []
      : [
          `Temporal UI: ${ui.base}`,
          `  its views (${FIRST_VIEWS.map(({ name }) => name).join(', ')} ...) and a form that starts a run: npx evolve views`,
        ]),
  ]);
};
