// Task update: a new version of a run's task, by which its programs are scored again.
import { type Acted, ended, type Situation, type Verb } from '../base/verb.ts';

export const taskUpdate = {
  title: 'Take the task anew',
  brief: 'give a run the new version of its task; its living programs and its bests are scored again',
  group: 'Do again',
  fields: {
    task: {
      type: 'text',
      label: 'Folder (empty: the one that the run came from)',
      meaning: 'the folder of the new version (default: the one that the run came from)',
      flag: '--task <folder>',
    },
  },
  message: { kind: 'update', examples: [{}, { task: '/home/ada/my-task' }] },
  refuses: ({ sweep }: Situation) => (sweep === null ? null : `it is of sweep ${sweep}, which compares its runs`),
  words: (now: Situation) => ({
    what: `One step of run ${now.run} scores its living programs and its bests again under the task as its folder has it now${ended(now) ? ', when the run goes on' : ', after the step that is under way'}. The ranking is by the new scores from then on.`,
    undo: 'Old scores stay readable. A rewind to before that step brings the old version back.',
    cost: 'Each of these programs is evaluated once. No model is asked for them.',
  }),
  done: ({ run }: Acted, _: object, { step }: { readonly at: string; readonly step: number }) =>
    `${run}: the new version of the task is kept; a step after step ${step} scores the programs again`,
  next: (run) => `\`npx evolve status ${run}\` says what became of it`,
} as const satisfies Verb;
