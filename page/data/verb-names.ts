// What the verbs are called, apart from what they take: a browser needs the names alone.

export const TITLES = {
  start: 'Start a run',
  sweep: 'Start a sweep',
  pause: 'Pause',
  resume: 'Resume',
  stop: 'Stop',
  extend: 'Extend',
  set: 'Change settings',
  hint: 'Give a hint',
  inject: 'Inject a program',
  retry: 'Try again',
  rewind: 'Rewind',
  fork: 'Fork',
  export: 'Export',
  'sweep-pause': 'Pause the sweep',
  'sweep-resume': 'Resume the sweep',
  'sweep-stop': 'Stop the sweep',
} as const;
export type VerbName = keyof typeof TITLES;

/** The words after `npx evolve`. */
export const COMMANDS: { readonly [verb in VerbName]: string } = {
  start: 'run',
  sweep: 'sweep',
  pause: 'pause',
  resume: 'resume',
  stop: 'stop',
  extend: 'extend',
  set: 'set',
  hint: 'hint',
  inject: 'inject',
  retry: 'retry',
  rewind: 'rewind',
  fork: 'fork',
  export: 'export',
  'sweep-pause': 'sweep pause',
  'sweep-resume': 'sweep resume',
  'sweep-stop': 'sweep stop',
};
