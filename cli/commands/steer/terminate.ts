// evolve terminate and evolve sweep terminate: a workflow is ended at the workflow engine, without its help.
import { terminate } from '../../../client/upkeep/terminate.ts';
import { doneText } from '../../../evolution/steering/verbs.ts';
import { act, describe } from '../../flags/command.ts';
import { bodyOf, withFields } from '../../flags/fields.ts';
import { sentence } from '../../flags/many.ts';
import { json, line, note } from '../../terminal/output.ts';

export const terminateCommand = (verb: 'terminate' | 'sweep-terminate') => {
  const kind = verb === 'terminate' ? 'run' : 'sweep';
  const [target, meaning] =
    kind === 'run' ? ['<run>', 'id of the run, or latest'] : ['<name>', 'name of the sweep, or latest'];
  return withFields(describe('terminate').argument(target, meaning), verb).action(
    act(async (context, options: object, wanted: string) => {
      const { reason } = bodyOf(verb, options);
      const { name: on, workflowId, unmarked } = await terminate(context, { kind, name: wanted, reason });
      if (unmarked !== null) note(`note: the database could not be told: ${unmarked}`);
      if (context.json) return json({ [kind]: on, terminated: workflowId, marked: unmarked === null });
      line(sentence(verb, on, doneText(verb, { run: on }, {}, {})));
    }),
  );
};
