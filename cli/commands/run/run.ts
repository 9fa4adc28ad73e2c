// evolve run: starts a run on the parts that are up, and watches it.
import { prepareRun } from '../../../client/runs/start-run.ts';
import { act, type Build } from '../../flags/command.ts';
import { onceAgreed } from '../../flags/agreed.ts';
import { withEvolve } from '../../flags/open.ts';
import { type RunFlags, settingsFrom, withRunFlags } from '../../flags/settings-flags.ts';
import { tellStarted } from '../../follow/follow.ts';

export const build: Build = (command) =>
  withRunFlags(command).action(
    act(async (context, flags: RunFlags) => {
      const prepared = await prepareRun(context, settingsFrom(flags, context.env), flags.run);
      return onceAgreed(prepared, flags, async () => {
        const run = await withEvolve(context, async (evolve) => (await evolve.launch(prepared)).id);
        return tellStarted(context, run, flags);
      });
    }),
  );
