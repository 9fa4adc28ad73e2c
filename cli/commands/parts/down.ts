// evolve down: stops every part of this home. Runs are durable: they go on at the next `evolve up`.
import { act, type Build } from '../../flags/command.ts';
import { answer, line, note, sayer } from '../../terminal/output.ts';

export const build: Build = (command) =>
  command.action(
    act(async (context) => {
      const { down } = await import('../../../deploy/stack/stack.ts');
      await down(context.home, sayer(context.json ? note : line));
      const { root } = context.home;
      answer(context, { home: root, state: 'down' }, () => [
        `everything of ${root} is stopped; open runs go on at the next \`npx evolve up\``,
      ]);
    }),
  );
