// evolve start, behind `npm start`: up, then a run, then its progress, then what came of it.
import { act, describe } from '../command.ts';
import { prepareRun } from '../library/start-run.ts';
import { withEvolve } from '../open.ts';
import { line, note } from '../output.ts';
import { sayer } from '../say.ts';
import { settingsFrom } from '../settings-flags.ts';
import { tellStarted } from '../started.ts';
import { withRunFlags, type RunFlags } from './shared-flags.ts';

export const startCommand = () => withRunFlags(describe('start', 'set up and start the parts, start a run and watch it (npm start)'))
  .action(act(async (context, flags: RunFlags) => {
    const print = context.json ? note : line;
    const prepared = await prepareRun(context, settingsFrom(flags, context.env), flags.run);
    const { up } = await import('../../deploy/stack.ts');
    await up(context.home, sayer(print));
    const { model } = prepared.resolved.config;
    print(`${'model'.padEnd(10)} ${model.kind === 'offline'
      ? 'no language model: the offline genetic-programming mutator (OPENAI_BASE_URL, OPENAI_API_KEY, EVOLVE_MODEL name a real one)'
      : `${model.name} at ${model.baseUrl}`}`);
    const run = await withEvolve(context, async (evolve) => (await evolve.launch(prepared)).id);
    return tellStarted(context, run, flags);
  }));
