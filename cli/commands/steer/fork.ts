// evolve fork: a new run that goes on after a committed step of another and refers to what it inherits. It is watched
// as by `evolve run`.
import { act, type Build } from '../../flags/command.ts';
import { withRun } from '../../flags/open.ts';
import { layersOf, type RunFlags, withForkFlags } from '../../flags/settings-flags.ts';
import { tellStarted } from '../../follow/follow.ts';
import { wholeFrom } from '../../terminal/output.ts';

export const build: Build = (command) =>
  withForkFlags(
    command
      .argument('<run>', 'id of the run, or latest; this run is not changed')
      .requiredOption('--at-step <n>', 'the committed step after which the new run goes on'),
  )
    .addHelpText('after', '\nSettings that are not named are as in the other run.')
    .action(
      act(async (context, { atStep, ...flags }: RunFlags & { readonly atStep: string }, id: string) => {
        const step = wholeFrom(atStep, '--at-step', 0);
        const layers = layersOf(flags);
        const fork = await withRun(context, id, async (run) => (await run.fork({ step, run: flags.run, layers })).id);
        return tellStarted(context, fork, flags);
      }),
    );
