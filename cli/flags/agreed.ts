// The plan of a run is told before it starts, and a person at a terminal is asked where it is large or dear. Scripts are
// never asked.
import type { Prepared } from '../../client/runs/start-run.ts';
import type { TrialModels } from '../../client/tasks/trial-model.ts';
import { taskIn } from '../../client/tasks/task-folder.ts';
import { EXIT } from '../terminal/exit.ts';
import { notes } from '../terminal/output.ts';
import type { Context } from './command.ts';
import { saysYes } from './many.ts';
import { type ModelFlags, settingsFrom } from './settings-flags.ts';

/** Starts the prepared run by `start` and resolves to its exit code, or to that of a run that nobody wanted. */
export const onceAgreed = async (
  { plan }: Pick<Prepared, 'plan'>,
  { yes = false }: { readonly yes?: boolean },
  start: () => Promise<number | void>,
): Promise<number | void> => {
  return (await isAgreed([...plan.lines, plan.cost()].join(' '), plan.asks && !yes)) ? start() : EXIT.bad;
};

const isAgreed = async (told: string, asks: boolean): Promise<boolean> => {
  notes([told]);
  if (!asks || !process.stdin.isTTY || !process.stderr.isTTY || (await saysYes('Start it?'))) return true;
  notes(['Nothing was started.']);
  return false;
};

/**
 * Hands on the models that the evaluator of a task asks in so many evaluations, by the settings of a run, and says at the
 * end what it asked; null where it asks none.
 */
export const withTrialModels = async (
  context: Context,
  flags: ModelFlags,
  { folder, evaluations }: { readonly folder: string; readonly evaluations: number },
  use: (models: TrialModels | null) => Promise<number>,
): Promise<number> => {
  const task = await taskIn(folder).catch(() => null);
  if (task?.script?.network === undefined) return use(null);
  const [{ prepareRun }, { TrialModels }] = await Promise.all([
    import('../../client/runs/start-run.ts'),
    import('../../client/tasks/trial-model.ts'),
  ]);
  const { yes = false, ...given } = flags;
  const settings = settingsFrom({ ...given, task: folder }, context.env);
  const { resolved, warnings } = await prepareRun(context, settings, undefined);
  notes(warnings);
  const models = new TrialModels(resolved.config, context);
  if (!(await isAgreed(models.told(evaluations), models.asks(evaluations) && !yes))) return EXIT.bad;
  try {
    return await use(models);
  } finally {
    notes([models.paid]);
  }
};
