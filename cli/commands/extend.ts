// evolve extend: new limits for a run. A running one goes on with them; a finished one is opened again.
import type { Limits } from '../../evolution/config/run-config.ts';
import { runWorkflowId } from '../../evolution/ids.ts';
import { act, describe, RUN_ARGUMENT } from '../command.ts';
import { withRun } from '../connection.ts';
import { UsageError } from '../exit.ts';
import { refreshKey } from '../keys.ts';
import { alreadyReached, extended, extendRequest, type LimitFlags } from '../limits-flags.ts';
import { json, line } from '../output.ts';
import { isOpen, startAgain, updateError } from '../steer.ts';

export const extendCommand = () => describe('extend', 'give a run new limits; a finished run goes on')
  .argument(...RUN_ARGUMENT)
  .option('--steps <n>', 'steps in all').option('--programs <n>', 'programs in all').option('--tokens <n>', 'tokens in all')
  .option('--cost-usd <x>', 'US dollars in all').option('--wall-seconds <s>', 'seconds since the run began').option('--target-score <x>', 'score at which the run ends')
  .option('--add', 'add the numbers to the present limits instead')
  .action(act(async (context, flags: LimitFlags & { readonly json?: boolean }, id: string) => {
    const request = extendRequest(flags);
    return withRun(context, id, async ({ run, store, engine }) => {
      const config = extended(run.config, request);
      const reached = alreadyReached(run, config.limits, new Date());
      if (reached !== null) throw new UsageError(`run ${run.run} has reached limits.${reached} = ${config.limits[reached]} already, it would not go on: give more (--add adds to the present limits)`);
      refreshKey(context.home.root, run.config.model, context.env);
      const connected = await engine();
      const open = await isOpen(connected, run.run);
      let limits: Limits = config.limits;
      if (open) {
        limits = await connected.client.workflow.getHandle(runWorkflowId(run.run))
          .executeUpdate<Limits, [typeof request]>('extend', { args: [request] }).catch((error: unknown) => { throw updateError(error); });
      } else {
        await store.setConfig(run.run, config, run.configVersion);
        await startAgain(connected, run);
      }
      if (context.json) json({ run: run.run, limits, opened: !open });
      else line(`${run.run}: limits are now ${limitsText(limits)}${open ? '' : '; it goes on'}. \`npx evolve watch ${run.run}\` shows it`);
    });
  }));

const limitsText = (limits: Limits): string =>
  Object.entries(limits).filter(([, value]) => value !== null).map(([key, value]) => `${key} ${value}`).join(', ');
