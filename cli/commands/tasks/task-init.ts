// evolve task init: makes a task of an evaluator and a program that are there, without a run.
import { ownTask, withOwnTask } from '../../flags/own-task.ts';
import { act, type Build } from '../../flags/command.ts';
import type { Said } from '../../../client/tasks/init-task.ts';
import { EXIT } from '../../terminal/exit.ts';
import { answer } from '../../terminal/output.ts';

export const build: Build = (command) =>
  withOwnTask(command).action(
    act(async (context, said: Said, files: readonly string[]) => {
      const { folder, evaluation } = await ownTask(context, files.length === 0 ? ['.'] : files, said);
      const { outcome, score, reasons } = evaluation ?? { outcome: null, score: null, reasons: [] };
      const well = outcome === null || outcome === 'valid';
      answer(context, { folder, outcome, score, reasons }, () => [
        well ? `search: npx evolve run ${folder}` : `mend it, then: npx evolve task score ${folder}`,
      ]);
      return well ? EXIT.well : EXIT.bad;
    }),
  );
