// evolve settings: the complete settings of a run as YAML, those of an earlier version, or what each version changed.
import { stringify } from 'yaml';
import { withoutCredentials } from '../../../evolution/config/layers.ts';
import { personText } from '../../../evolution/steering/base/people.ts';
import { type Build, RUN_ARGUMENT } from '../../flags/command.ts';
import { onRun } from '../../flags/open.ts';
import { answer, wholeFrom } from '../../terminal/output.ts';

type Options = { readonly version?: string; readonly versions?: boolean };

export const build: Build = (command) =>
  command
    .argument(...RUN_ARGUMENT)
    .option('--version <n>', 'show the settings of this version')
    .option('--versions', 'list the versions with the keys that each changed')
    .action(
      onRun(async (context, { version, versions }: Options, run) => {
        if (versions) {
          const all = await run.versions();
          return answer(context, all, () =>
            all.map(
              (one) =>
                `${String(one.version).padStart(4)}  ${one.changed.join(', ') || (one === all[0] ? 'as it began' : 'nothing changed')}${one.by === undefined ? '' : `  by ${personText(one.by)}`}`,
            ),
          );
        }
        const config = withoutCredentials(
          await run.settings(version === undefined ? undefined : wholeFrom(version, '--version', 0)),
        );
        answer(context, config, () => [stringify(config).trimEnd()]);
      }),
    );
