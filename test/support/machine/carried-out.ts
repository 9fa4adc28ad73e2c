// A command of `evolve` in the process of a test, with what it prints and its exit code. As a process of its own, this
// file carries out the commands that come as messages (CommandHost in home.ts).
import { carryOut } from '../../../cli/program.ts';
import { exitCodeOf, messageOf } from '../../../cli/terminal/exit.ts';
import { note } from '../../../cli/terminal/output.ts';
import { registerOutsideLevels } from '../../../deploy/host/outside-levels.ts';
import { allowNoop } from '../../../evolution/config/noop.ts';

/** `env` is the whole environment of the command. */
export type CommandLine = { readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv };

type Output = {
  readonly stdout: string;
  readonly stderr: string;
  readonly failed: boolean;
  readonly code: number;
};

/**
 * Runs a command as cli/main.ts does, in this process, because a process for each would take minutes. `terminal`: the
 * columns of the terminal that it prints to, 100 where it is true.
 */
export const carriedOut = async (words: readonly string[], terminal: boolean | number = false): Promise<Output> => {
  const said = { stdout: '', stderr: '' };
  const kept = (['stdout', 'stderr'] as const).map((name) => {
    const stream = process[name];
    const before = { write: stream.write, isTTY: stream.isTTY, columns: stream.columns, rows: stream.rows };
    stream.write = ((text: string | Uint8Array, ...rest: unknown[]): boolean => {
      said[name] += String(text);
      const done = rest.find((one) => typeof one === 'function') as (() => void) | undefined;
      done?.();
      return true;
    }) as typeof stream.write;
    Object.assign(
      stream,
      terminal === false ? { isTTY: false } : { isTTY: true, columns: terminal === true ? 100 : terminal, rows: 24 },
    );
    return () => Object.assign(stream, before);
  });
  const exitCode = process.exitCode;
  process.exitCode = undefined;
  let failed = false;
  let code = 0;
  try {
    await carryOut(words);
  } catch (error) {
    failed = true;
    code = exitCodeOf(error);
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('commander.')))
      note(messageOf(error, false));
  } finally {
    for (const restore of kept) restore();
    code ||= Number(process.exitCode ?? 0);
    process.exitCode = exitCode;
  }
  return { ...said, failed, code };
};

const answer = async ({ args, env }: CommandLine): Promise<void> => {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  allowNoop(process.env);
  const { code, stdout, stderr } = await carriedOut(args);
  process.send!({ code, stdout, stderr });
};

if (import.meta.main) {
  registerOutsideLevels(process.env);
  process.on('disconnect', () => process.exit());
  process.on('message', (line: CommandLine) => void answer(line));
}
