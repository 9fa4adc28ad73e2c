// evolve start, behind `npm start`: sets up the parts, starts a run, shows its progress and then what came of it.
import { payloadKeysOf } from '../../../client/connect/payload-keys.ts';
import type { Prepared } from '../../../client/runs/start-run.ts';
import { onceAgreed } from '../../flags/agreed.ts';
import { act, type Build, type Context } from '../../flags/command.ts';
import { withEvolve } from '../../flags/open.ts';
import { preparedRun, withRunFiles } from '../../flags/own-task.ts';
import { type RunFlags, withRunFlags } from '../../flags/settings-flags.ts';
import { tellStarted } from '../../follow/follow.ts';
import { EXIT } from '../../terminal/exit.ts';
import { line, note, sayer } from '../../terminal/output.ts';

export const build: Build = (command) =>
  withRunFiles(withRunFlags(command)).action(
    act(async (context, flags: RunFlags, files: readonly string[]) => {
      const prepared = await preparedRun(context, flags, files);
      if (prepared === null) return EXIT.bad;
      return onceAgreed(prepared, flags, () => setUpAndStart(context, prepared, flags));
    }),
  );

const setUpAndStart = async (context: Context, prepared: Prepared, flags: RunFlags): Promise<number | void> => {
  const print = context.json ? note : line;
  await prepared.first.ask((text) => note(`note: ${text}`));
  payloadKeysOf(context);
  const { up } = await import('../../../deploy/stack/stack.ts');
  await up(context.home, sayer(print));
  const { rememberDefaultModel } = await import('../../../client/connect/default-model.ts');
  rememberDefaultModel(context);
  const { model } = prepared.resolved.config;
  print(
    `${'model'.padEnd(10)} ${
      model.kind === 'offline'
        ? 'no language model: the offline genetic-programming mutator (set OPENAI_BASE_URL, OPENAI_API_KEY and EVOLVE_MODEL for a real one)'
        : `${model.name} at ${model.baseUrl}`
    }`,
  );
  const run = await withEvolve(context, async (evolve) => (await evolve.launch(prepared)).id);
  return tellStarted(context, run, flags);
};
