// evolve extend: new limits for runs. A running one goes on with them; a finished one is opened again.
import { setLimits } from '../../evolution/budget/limits.ts';
import { Option } from 'commander';
import type { Limits } from '../../evolution/config/run-config.ts';
import { act, describe } from '../flags/command.ts';
import { extendRequest, type LimitFlags } from '../flags/limits-flags.ts';
import { forMany, onRuns, RUNS_ARGUMENT, type SelectionFlags } from '../flags/many.ts';

export const extendCommand = () =>
  forMany(describe('extend').argument(...RUNS_ARGUMENT))
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
      act(async (context, flags: LimitFlags & SelectionFlags, ids: readonly string[]) => {
        const request = extendRequest(flags);
        const { add: _, ...limits } = request;
        return onRuns(context, flags, ids, {
          what: `${flags.add ? 'add to the limits' : 'set the limits'} ${limitsText(limits as Limits)}`,
          leave: () => null,
          check: (run) => run.check({ extend: request }),
          act: (run) => run.extend(request),
          tell: (run, { limits: now, opened }) =>
            `${run}: limits are now ${limitsText(now)}${opened ? '; it goes on' : ''}. \`npx evolve watch ${run}\` shows it`,
        });
      }),
    );

/** This flag is no opposite of a flag `--improvement-programs`, for which commander takes names with `no-`. */
const noImprovement = (): Option =>
  Object.assign(new Option('--no-improvement-programs <n>', 'programs made since the best score last improved'), {
    negate: false,
  });

const limitsText = (limits: Limits): string =>
  setLimits(limits)
    .map(([key, value]) => `${key} ${value}`)
    .join(', ');
