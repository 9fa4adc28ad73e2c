// evolve files: what a run leaves in runs/<id>/ when it ends, written again, or for a run that is under way.
import { resolve } from 'node:path';
import { hasEnded } from '../../../evolution/run-states.ts';
import { type Build, RUN_ARGUMENT } from '../../flags/command.ts';
import { onRun } from '../../flags/open.ts';
import { answer } from '../../terminal/output.ts';

type Options = { readonly to?: string };

export const build: Build = (command) =>
  command
    .argument(...RUN_ARGUMENT)
    .option('--to <directory>', 'directory for them (default: runs/<run>)')
    .action(
      onRun(async (context, { to }: Options, run) => {
        const { state, directory, files } = await run.writeFiles(to === undefined ? undefined : resolve(to));
        answer(context, { run: run.id, state, directory, files }, () => [
          `${run.id}: ${files.join(', ')} in ${directory}`,
          ...(hasEnded({ status: state })
            ? []
            : [`  the run is ${state}: this is how it stands now, and they are written again when it ends`]),
        ]);
      }),
    );
