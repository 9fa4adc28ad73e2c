// evolve watch: follows a run to its end. Ctrl-C stops watching only.
import { act, type Build, RUN_ARGUMENT } from '../../flags/command.ts';
import { withStoredRun } from '../../flags/open.ts';
import { follow } from '../../follow/follow.ts';

type Options = { readonly exitOnAttention?: boolean };

export const build: Build = (command) =>
  command
    .argument(...RUN_ARGUMENT)
    .option('--exit-on-attention', 'stop watching with exit code 1 when the run needs attention')
    .action(
      act(async (context, options: Options, id: string) => {
        const run = await withStoredRun(context, id, async ({ run: found }) => found);
        return follow(context, run, { exitOnAttention: options.exitOnAttention === true, jsonMode: 'lines' });
      }),
    );
