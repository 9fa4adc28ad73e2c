// evolve start, behind `npm start`: up, then a run, then its progress, then what came of it.
import { act, describe } from '../command.ts';
import { temporalUi } from '../connection.ts';
import { follow } from '../follow.ts';
import { launch, prepare } from '../launch.ts';
import { json, line, note } from '../output.ts';
import { temporalUrl } from '../report.ts';
import { sayer } from '../say.ts';
import { withRunFlags, type RunFlags } from './shared-flags.ts';

export const startCommand = () => withRunFlags(describe('start', 'set up and start the parts, start a run and watch it (npm start)'))
  .action(act(async (context, flags: RunFlags) => {
    const print = context.json ? note : line;
    const prepared = await prepare(context, flags);
    const { up } = await import('../../deploy/stack.ts');
    await up(context.home, sayer(print));
    const { config } = prepared.resolved;
    print(`${'model'.padEnd(10)} ${config.model.kind === 'offline'
      ? 'no language model: the offline genetic-programming mutator (OPENAI_BASE_URL, OPENAI_API_KEY, EVOLVE_MODEL name a real one)'
      : `${config.model.name} at ${config.model.baseUrl}`}`);
    const run = await launch(context, prepared);
    const url = temporalUrl(temporalUi(context), run);
    print(`${'run'.padEnd(10)} ${run}${url === null ? '' : `  ${url}`}`);
    if (flags.detach) {
      if (context.json) json({ run, temporalUrl: url });
      else line(`\`npx evolve watch ${run}\` shows it`);
      return;
    }
    print('');
    return follow(context, run, { exitOnAttention: flags.exitOnAttention === true, jsonMode: 'end' });
  }));
