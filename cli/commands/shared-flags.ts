// The flags that commands share: settings of a run, and how a run is started.
import { Option, type Command } from 'commander';
import type { SettingsFlags } from '../settings-flags.ts';

export type StartFlags = { readonly json?: boolean; readonly run?: string; readonly detach?: boolean; readonly exitOnAttention?: boolean };
export type RunFlags = SettingsFlags & StartFlags;

export const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), value];

const withStartFlags = (command: Command): Command => command
  .option('--detach', 'start the run and return')
  .option('--exit-on-attention', 'stop watching with exit code 1 when the run needs attention');

/** What a fork may change, and what `run` takes too. */
export const withForkFlags = (command: Command): Command => withStartFlags(command
  .option('--seed <n>', 'seed of the run')
  .option('--steps <n>', 'end after this many steps')
  .option('--batch <B>', 'parents per step')
  .option('--responses <n>', 'responses per parent')
  .option('--max-programs <n>', 'end before more programs than this are made')
  .option('--run <id>', 'id of the run (default: chosen)')
  .option('--config <file>', 'settings as YAML or JSON; docs/configuration.md lists them')
  .addOption(new Option('--set <key=value>', 'one setting, e.g. --set diff.maxCodeChars=20000; repeatable').argParser(collect))
  .option('--model <name>', 'model of the endpoint, or "offline" (default: EVOLVE_MODEL, else offline)')
  .option('--base-url <url>', 'OpenAI-compatible endpoint (default: OPENAI_BASE_URL)'));

export const withRunFlags = (command: Command): Command => withForkFlags(command
  .option('--method <name>', 'search method (default: theta)')
  .option('--task <name>', 'folder in tasks/ (default: circle-packing-square-26)'));
