// evolve settings: the complete settings of a run as YAML, those of an earlier version, or what each version changed.
import { stringify } from 'yaml';
import { hideCredentials } from '../../../evolution/config/layers.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { act, describe, RUN_ARGUMENT } from '../../flags/command.ts';
import { withRun } from '../../flags/open.ts';
import { json, line, wholeFrom } from '../../terminal/output.ts';

type Options = { readonly json?: boolean; readonly version?: string; readonly versions?: boolean };

export const settingsCommand = () =>
  describe('settings')
    .argument(...RUN_ARGUMENT)
    .option('--version <n>', 'show the settings of this version')
    .option('--versions', 'list the versions with the keys that each changed')
    .action(
      act(async (context, { version, versions }: Options, id: string) =>
        withRun(context, id, async (run) => {
          if (versions) {
            const all = await run.versions();
            if (context.json) return json(all);
            for (const one of all)
              line(
                `${String(one.version).padStart(4)}  ${one.changed.join(', ') || (one === all[0] ? 'as it began' : 'nothing changed')}`,
              );
            return;
          }
          const config = withoutCredentials(
            await run.settings(version === undefined ? undefined : wholeFrom(version, '--version', 0)),
          );
          if (context.json) json(config);
          else line(stringify(config).trimEnd());
        }),
      ),
    );

/** An address may hold a key. */
const withoutCredentials = (config: RunConfig): RunConfig => {
  const hidden = <T extends { readonly baseUrl: string | null }>(endpoint: T): T => ({
    ...endpoint,
    baseUrl: endpoint.baseUrl === null ? null : hideCredentials(endpoint.baseUrl),
  });
  const { model, models, embedding } = config;
  return { ...config, model: hidden(model), models: models.map(hidden), embedding: hidden(embedding) };
};
