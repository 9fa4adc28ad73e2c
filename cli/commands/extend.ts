// evolve extend: new limits for a run. A running one goes on with them; a finished one is opened again.
import { Option } from 'commander';
import type { Limits } from '../../evolution/config/run-config.ts';
import { act, describe, RUN_ARGUMENT } from '../flags/command.ts';
import { extendRequest, type LimitFlags } from '../flags/limits-flags.ts';
import { withRun } from '../flags/open.ts';
import { json, line } from '../terminal/output.ts';

export const extendCommand = () =>
  describe('extend')
    .argument(...RUN_ARGUMENT)
    .option('--steps <n>', 'steps in all')
    .option('--programs <n>', 'programs in all')
    .option('--tokens <n>', 'tokens in all')
    .option('--cost-usd <x>', 'US dollars in all')
    .option('--wall-seconds <s>', 'seconds since the run began')
    .option('--target-score <x>', 'score at which the run ends')
    .addOption(noImprovement())
    .option('--stagnant-epochs <n>', 'steps without a better best of any island')
    .option('--add', 'add the numbers to the present limits')
    .addHelpText('after', '\nThe value "none" removes a limit.')
    .action(
      act(async (context, flags: LimitFlags & { readonly json?: boolean }, id: string) => {
        const request = extendRequest(flags);
        return withRun(context, id, async (run) => {
          const { limits, opened } = await run.extend(request);
          if (context.json) json({ run: run.id, limits, opened });
          else
            line(
              `${run.id}: limits are now ${limitsText(limits)}${opened ? '; it goes on' : ''}. \`npx evolve watch ${run.id}\` shows it`,
            );
        });
      }),
    );

/** This flag is no opposite of a flag `--improvement-programs`, for which commander takes names with `no-`. */
const noImprovement = (): Option =>
  Object.assign(new Option('--no-improvement-programs <n>', 'programs made since the best score last improved'), {
    negate: false,
  });

const limitsText = (limits: Limits): string =>
  Object.entries(limits)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key} ${value}`)
    .join(', ');
