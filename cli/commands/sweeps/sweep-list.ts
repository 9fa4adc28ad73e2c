// evolve sweep list: every sweep, newest first.
import type { Build } from '../../flags/command.ts';
import { onEvolve } from '../../flags/open.ts';
import { answer, minuteText, score, zoneText } from '../../terminal/output.ts';
import { statePaint } from '../../terminal/screen.ts';
import { statesText } from '../../terminal/sweep-display.ts';
import { headed, table } from '../../terminal/table.ts';

export const build: Build = (command) =>
  command.action(
    onEvolve(async (context, _, evolve) => {
      const sweeps = await evolve.sweeps();
      const rows = sweeps.map((one) => [
        ...[one.sweep, one.status, score(one.groups[0]?.mean), String(one.runs.length), String(one.programs)],
        ...[statesText(one), minuteText(one.createdAt)],
      ]);
      const created = `created (${zoneText()})`;
      const head = ['sweep', 'state', 'best mean', 'runs', 'programs', 'states', created];
      const fit = {
        drop: [created, 'programs', 'states', 'runs'],
        cut: { sweep: 24, states: 16 },
        paint: { state: statePaint(process.stdout) },
      };
      answer(context, sweeps, (width, height) =>
        sweeps.length === 0
          ? ['no sweeps yet: start one with `npx evolve sweep <file>` (docs/sweeps.md)']
          : headed(table([head, ...rows], { width, ...fit }), height),
      );
    }),
  );
