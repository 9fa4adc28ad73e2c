// evolve completion: prints a script for a shell. With it, Tab asks `evolve complete`, which answers in the form that
// the scripts of @bomb.sh/tab read.
import { script, ShellCompDirective } from '@bomb.sh/tab';
import { Argument, Command } from 'commander';
import { join } from 'node:path';
import type { Store } from '../../../activities/store/store.ts';
import { withStore } from '../../../client/connect/connection.ts';
import { PROJECT_ROOT, projectNode } from '../../../deploy/host/home.ts';
import { complete, type Values } from '../../completion.ts';
import { type Context, contextOf } from '../../flags/command.ts';
import { endWhenWritten, line } from '../../terminal/output.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

export const build = (): Command =>
  new Command('completion')
    .addArgument(new Argument('<shell>', 'the shell that reads it').choices(SHELLS))
    .addHelpText(
      'after',
      '\nFor every new shell:\n  bash  echo \'eval "$(npx evolve completion bash)"\' >> ~/.bashrc      (in the clone; or with the path of node_modules/.bin/evolve)\n  zsh   the same with ~/.zshrc\n  fish  npx evolve completion fish > ~/.config/fish/completions/evolve.fish\nWhere there is no command `evolve`, the script defines one.',
    )
    .action((shell: Shell) => {
      const evolve = [projectNode(), join(PROJECT_ROOT, 'cli', 'evolve.mjs')].map(quoted).join(' ');
      line(before(shell, evolve));
      script(shell, 'evolve', evolve);
      if (shell === 'bash') line('complete -o default -F __evolve_complete evolve');
    });

/** The path in single quotes for a shell. */
const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;

/**
 * Defines a command `evolve` where there is none. For bash it also gives the words of the line where the package
 * bash-completion is missing.
 */
const before = (shell: Shell, evolve: string): string =>
  shell === 'fish'
    ? `type -q evolve; or function evolve; ${evolve} $argv; end`
    : [
        `command -v evolve >/dev/null 2>&1 || evolve() { ${evolve} "$@"; }`,
        ...(shell === 'bash'
          ? [
              'declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {',
              '  words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${COMP_WORDS[COMP_CWORD]}; prev=${COMP_WORDS[COMP_CWORD-1]}',
              '}',
            ]
          : []),
      ].join('\n');

/** Is short, because a Tab that hangs is worse than one that knows no ids. */
const PATIENCE_MS = 1_500;

export const completeCommand = (): Command =>
  new Command('complete')
    .argument('[words...]', 'what stands behind evolve')
    .action(async (words: readonly string[]) => {
      const { values, files } = await complete(words, valuesOf(contextOf({})));
      for (const [value, description] of values) line(`${value}\t${description}`);
      line(
        `:${files ? ShellCompDirective.ShellCompDirectiveDefault : ShellCompDirective.ShellCompDirectiveNoFileComp}`,
      );
      // A database that does not answer must not keep the shell waiting.
      endWhenWritten();
    });

const valuesOf = (context: Context): Values => {
  const stored = (read: (store: Store) => Promise<readonly string[]>) => async (): Promise<readonly string[]> => {
    const names = withStore(context, read);
    const late = new Promise<readonly string[]>((resolve) => {
      setTimeout(resolve, PATIENCE_MS, []).unref();
    });
    return ['latest', ...(await Promise.race([names.catch(() => []), late]))];
  };
  return {
    runs: stored(async (store) => (await store.listRuns()).map(({ run }) => run)),
    sweeps: stored(async (store) => (await store.listSweeps()).map(({ _id }) => _id)),
    tasks: async () => (await import('../../../activities/task/load-task.ts')).listTasks(),
    methods: async () => (await import('../../../evolution/config/names.ts')).METHOD_NAMES,
  };
};
