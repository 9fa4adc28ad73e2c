// evolve down: stops every part of this home. Runs are durable: they go on at the next `evolve up`.
import { act, describe } from '../../flags/command.ts';
import { json, line, note, sayer } from '../../terminal/output.ts';

export const downCommand = () =>
  describe('down').action(
    act(async (context, _options: { readonly json?: boolean }) => {
      const { down } = await import('../../../deploy/stack/stack.ts');
      await down(context.home, sayer(context.json ? note : line));
      if (context.json) json({ home: context.home.root, state: 'down' });
      else line(`everything of ${context.home.root} is stopped; open runs go on at the next \`npx evolve up\``);
    }),
  );
