// evolve up: sets up and starts what is missing; leaves alone what runs already.
import { readUp } from '../../deploy/supervisor/plan.ts';
import { act, describe } from '../flags/command.ts';
import { json, line, note, sayer } from '../terminal/output.ts';

export const upCommand = () =>
  describe('up', 'set up and start the parts; runs go on').action(
    act(async (context, _options: { readonly json?: boolean }) => {
      const { up } = await import('../../deploy/stack/stack.ts');
      await up(context.home, sayer(context.json ? note : line));
      const info = readUp(context.home);
      if (context.json) return json(info);
      line(
        `everything is up under ${context.home.root}; \`npx evolve down\` stops it${info?.temporal.ui ? `\nTemporal UI: ${info.temporal.ui}` : ''}`,
      );
    }),
  );
