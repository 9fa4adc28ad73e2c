// A run that was just started: its address, and then its progress unless --detach. Used by run, start and fork.
import type { Context } from './command.ts';
import type { StartFlags } from './commands/shared-flags.ts';
import { follow } from './follow.ts';
import { temporalUi } from './library/connection.ts';
import { temporalUrl } from './library/report.ts';
import { json, line, note } from './output.ts';

/** Resolves to the exit code. */
export const tellStarted = async (context: Context, run: string, { detach, exitOnAttention }: StartFlags): Promise<number | void> => {
  const url = temporalUrl(temporalUi(context), run);
  if (detach) {
    if (context.json) json({ run, temporalUrl: url });
    else line(`run ${run} is started; \`npx evolve watch ${run}\` shows it${url === null ? '' : `\n${url}`}`);
    return;
  }
  (context.json ? note : line)(`run ${run}${url === null ? '' : `  ${url}`}\n`);
  return follow(context, run, { exitOnAttention: exitOnAttention === true, jsonMode: 'end' });
};
