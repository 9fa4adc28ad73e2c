// evolve run: starts a run on the parts that are up, and watches it.
import { act, describe } from '../command.ts';
import { temporalUi } from '../connection.ts';
import { follow } from '../follow.ts';
import { launch, prepare } from '../launch.ts';
import { json, line, note } from '../output.ts';
import { temporalUrl } from '../report.ts';
import { withRunFlags, type RunFlags } from './shared-flags.ts';

export const runCommand = () => withRunFlags(describe('run', 'start a run and watch it; the parts must be up'))
  .action(act(async (context, flags: RunFlags) => {
    const prepared = await prepare(context, flags);
    const run = await launch(context, prepared);
    const url = temporalUrl(temporalUi(context), run);
    if (flags.detach) {
      if (context.json) json({ run, temporalUrl: url });
      else line(`run ${run} is started; \`npx evolve watch ${run}\` shows it${url === null ? '' : `\n${url}`}`);
      return;
    }
    (context.json ? note : line)(`run ${run}${url === null ? '' : `  ${url}`}`);
    return follow(context, run, { exitOnAttention: flags.exitOnAttention === true, jsonMode: 'end' });
  }));
