// evolve terminate and evolve sweep terminate: a workflow is ended at the workflow engine, without its help.
import { terminate } from '../../../client/upkeep/terminate.ts';
import { doneText } from '../../../evolution/steering/verbs.ts';
import { act, type Build } from '../../flags/command.ts';
import { bodyOf, withFields } from '../../flags/fields.ts';
import { sentence } from '../../flags/many.ts';
import { answer, note } from '../../terminal/output.ts';

export const terminating =
  (verb: 'terminate' | 'sweep-terminate'): Build =>
  (command) => {
    const [kind, target, meaning] =
      verb === 'terminate'
        ? (['run', '<run>', 'id of the run, or latest'] as const)
        : (['sweep', '<name>', 'name of the sweep, or latest'] as const);
    return withFields(command.argument(target, meaning), verb).action(
      act(async (context, options: object, name: string) => {
        const { reason } = bodyOf(verb, options);
        const { name: on, workflowId, unmarked } = await terminate(context, { kind, name, reason });
        if (unmarked !== null) note(`note: the database could not be told: ${unmarked}`);
        answer(context, { [kind]: on, terminated: workflowId, marked: unmarked === null }, () => [
          sentence(verb, on, doneText(verb, { run: on }, {}, {})),
        ]);
      }),
    );
  };
