// Export: everything of a run as files that `evolve import` takes in again.
import { type Acted, committed, type Situation, type Verb } from './base/verb.ts';

type Exported = { readonly directory: string; readonly runs: readonly string[] };

export const exportRun = {
  title: 'Export',
  brief: 'write all documents and texts of a run to files',
  group: 'A run',
  fields: {},
  message: null,
  refuses: (now: Situation) => (committed(now) ? null : 'it has no programs'),
  words: ({ run }: Situation) => ({
    what: `Everything of run ${run} is written to a new folder on the machine of the server, below runs/${run}/. The command evolve import takes it in again.`,
    undo: 'The folder can be deleted. The run is not changed.',
    cost: 'It costs disk space: about as much as the run has in the database.',
  }),
  done: ({ run }: Acted, _: object, { directory, runs }: Exported) => {
    const others = runs.filter((one) => one !== run);
    return `${run}: exported to ${directory}${others.length === 0 ? '' : `, with ${others.join(', ')}, which it was forked off`}`;
  },
} as const satisfies Verb;
