// evolve run: starts a run on the parts that are up, and watches it.
import { act, describe } from '../command.ts';
import { prepareRun } from '../library/start-run.ts';
import { withEvolve } from '../open.ts';
import { settingsFrom } from '../settings-flags.ts';
import { tellStarted } from '../started.ts';
import { withRunFlags, type RunFlags } from './shared-flags.ts';

export const runCommand = () => withRunFlags(describe('run', 'start a run and watch it; the parts must be up'))
  .action(act(async (context, flags: RunFlags) => {
    const prepared = await prepareRun(context, settingsFrom(flags, context.env), flags.run);
    const run = await withEvolve(context, async (evolve) => (await evolve.launch(prepared)).id);
    return tellStarted(context, run, flags);
  }));
