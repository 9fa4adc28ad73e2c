// The verbs as commands that are loaded when they are named. Those whose flags are more than their fields have a file of
// their own.
import { type VerbName, verbNames, verbOf } from '../evolution/steering/verbs.ts';
import type { Verb } from '../evolution/steering/base/verb.ts';
import { later, type Later } from './flags/command.ts';

const OWN: { readonly [V in VerbName]?: Later['load'] } = {
  set: async () => (await import('./commands/steer/set.ts')).setCommand(),
  hint: async () => (await import('./commands/steer/hint.ts')).hintCommand(),
  'add-model': async () => (await import('./commands/steer/add-model.ts')).addModelCommand(),
  fork: async () => (await import('./commands/steer/fork.ts')).forkCommand(),
  export: async () => (await import('./commands/run/export.ts')).exportCommand(),
  terminate: async () => (await import('./commands/steer/terminate.ts')).terminateCommand('terminate'),
  'sweep-terminate': async () => (await import('./commands/steer/terminate.ts')).terminateCommand('sweep-terminate'),
};

/** The commands below one heading of `--help`. */
export const verbsOf = (group: Verb['group']): readonly Later[] =>
  verbNames
    .filter((name) => verbOf(name).group === group)
    .map((name) =>
      later(
        name.replace(/^sweep-/, ''),
        verbOf(name).brief,
        OWN[name] ?? (async () => (await import('./commands/steer/steer.ts')).steerCommand(name)),
      ),
    );
