// The verbs as commands that are loaded when they are named. A verb whose flags are more than its fields has a file of
// its own.
import { commandOf, type VerbName, verbNames, verbOf } from '../evolution/steering/verbs.ts';
import type { Verb } from '../evolution/steering/base/verb.ts';
import { later, type Later } from './flags/command.ts';

const OWN: readonly VerbName[] = ['set', 'hint', 'add-model', 'fork', 'mark'];

/** The commands below one heading of `--help`. */
export const verbsOf = (group: Verb['group']): readonly Later[] =>
  verbNames
    .filter((name) => verbOf(name).group === group && !commandOf(name).startsWith('task '))
    .map((verb): Later => {
      const { brief } = verbOf(verb);
      if (OWN.includes(verb)) return later(`steer/${verb}`, brief);
      if (verb === 'export') return later('run/export', brief);
      return {
        name: verb.replace(/^sweep-/, ''),
        description: brief,
        load: async () =>
          verb === 'terminate' || verb === 'sweep-terminate'
            ? { build: (await import('./commands/steer/terminate.ts')).terminating(verb) }
            : { build: (await import('./commands/steer/steer.ts')).steering(verb) },
      };
    });
