// evolve files: what a run leaves in runs/<id>/ when it ends, written again, or for a run that is under way.
import { resolve } from 'node:path';
import { hasEnded } from '../../../evolution/run-states.ts';
import { act, describe, RUN_ARGUMENT } from '../../flags/command.ts';
import { withRun } from '../../flags/open.ts';
import { json, line } from '../../terminal/output.ts';

type Options = { readonly json?: boolean; readonly to?: string };

export const filesCommand = () =>
  describe('files')
    .argument(...RUN_ARGUMENT)
    .option('--to <directory>', 'directory for them (default: runs/<run>)')
    .action(
      act(async (context, { to }: Options, id: string) =>
        withRun(context, id, async (run) => {
          const { state, directory, files } = await run.writeFiles(to === undefined ? undefined : resolve(to));
          if (context.json) return json({ run: run.id, state, directory, files });
          line(`${run.id}: ${files.join(', ')} in ${directory}`);
          if (!hasEnded({ status: state }))
            line(`  the run is ${state}: this is how it stands now, and they are written again when it ends`);
        }),
      ),
    );
