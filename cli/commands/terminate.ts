// evolve terminate and evolve sweep terminate: a workflow is ended at the workflow engine, without its help.
import { terminate } from '../../client/terminate.ts';
import { act, describe } from '../flags/command.ts';
import { json, line, note } from '../terminal/output.ts';

type Options = { readonly json?: boolean; readonly reason?: string };

const command = (kind: 'run' | 'sweep', description: string) =>
  describe('terminate', description)
    .argument(
      kind === 'run' ? '<run>' : '<name>',
      kind === 'run' ? 'id of the run, or latest' : 'name of the sweep, or latest',
    )
    .option('--reason <text>', 'shown beside the end')
    .action(
      act(async (context, { reason }: Options, wanted: string) => {
        const { name, workflowId, unmarked } = await terminate(context, { kind, name: wanted, reason });
        if (unmarked !== null) note(`note: the database could not be told: ${unmarked}`);
        if (context.json) return json({ [kind]: name, terminated: workflowId, marked: unmarked === null });
        line(
          kind === 'run'
            ? `${name}: terminated; what it has committed is kept, and \`npx evolve resume ${name}\` goes on`
            : `${name}: terminated; its runs go on by themselves, and \`npx evolve sweep resume ${name}\` takes them up again`,
        );
      }),
    );

export const terminateCommand = () => command('run', '');
export const sweepTerminateCommand = () =>
  command('sweep', 'end a sweep without its help, where it does not obey stop; its runs go on');
