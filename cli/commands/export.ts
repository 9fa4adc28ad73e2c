// evolve export: everything of a run as files that `evolve import` takes in again.
import { join, resolve } from 'node:path';
import { runsDirectory } from '../../deploy/host/home.ts';
import { act, describe, RUN_ARGUMENT } from '../flags/command.ts';
import { withRun } from '../flags/open.ts';
import { json, line, note } from '../terminal/output.ts';
import { exportRewardModelCommand } from './export-reward-model.ts';

type Options = { readonly json?: boolean; readonly to?: string };

export const exportCommand = () =>
  describe('export')
    .argument(...RUN_ARGUMENT)
    .option('--to <directory>', 'new or empty directory (default: runs/<run>/export)')
    .action(
      act(async (context, { to }: Options, id: string) =>
        withRun(context, id, async (run) => {
          const directory = resolve(to ?? join(runsDirectory(context.env), run.id, 'export'));
          const manifest = await run.export(directory);
          if (context.json) return json({ directory, ...manifest });
          line(`${run.id}: exported to ${directory}`);
          for (const other of manifest.runs.filter((one) => one !== run.id))
            line(`  with run ${other}, which it was forked off`);
          for (const [name, { documents }] of Object.entries(manifest.collections))
            line(`  ${name.padEnd(12)} ${documents}`);
          if (manifest.notIncluded !== undefined) note(`note: this is without ${manifest.notIncluded}`);
          if (manifest.lostTexts > 0)
            note(`warning: the database has lost ${manifest.lostTexts} texts that documents name`);
        }),
      ),
    )
    .addCommand(exportRewardModelCommand());
