// evolve run: starts a run on the parts that are up, and watches it.
import { act, type Build } from '../../flags/command.ts';
import { onceAgreed } from '../../flags/agreed.ts';
import { withEvolve } from '../../flags/open.ts';
import { preparedRun, withRunFiles } from '../../flags/own-task.ts';
import { type RunFlags, withRunFlags } from '../../flags/settings-flags.ts';
import { tellStarted } from '../../follow/follow.ts';
import { EXIT } from '../../terminal/exit.ts';

export const build: Build = (command) =>
  withRunFiles(withRunFlags(command)).action(
    act(async (context, flags: RunFlags, files: readonly string[]) => {
      const prepared = await preparedRun(context, flags, files);
      if (prepared === null) return EXIT.bad;
      return onceAgreed(prepared, flags, async () => {
        const run = await withEvolve(context, async (evolve) => (await evolve.launch(prepared)).id);
        return tellStarted(context, run, flags);
      });
    }),
  );
