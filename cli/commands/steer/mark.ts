// evolve mark: a star, a label and a note on a run or on one of its programs.
import { act, type Build } from '../../flags/command.ts';
import { bodyOf, withFields } from '../../flags/fields.ts';
import { steerRun } from '../../flags/many.ts';

export const build: Build = (command) =>
  withFields(command.argument('<run>', 'id of the run, or of the program itself, or latest'), 'mark').action(
    act(async (context, options: object, id: string, program: string | undefined) => {
      // The id of a program begins with its run.
      const [run, of] = id.includes(':') ? [id.slice(0, id.indexOf(':')), program ?? id] : [id, program];
      return steerRun(context, run, 'mark', bodyOf('mark', options, [of]));
    }),
  );
