// OpenEvolve's program database side by side with ours, where PyPI can be reached: openevolve.py in a virtual
// environment of its own.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { installOpenEvolve } from '../peer/openevolve.ts';

const SIZES = [1_000, 3_000, 10_000];
/** A size is measured for so long, and all filling takes so long at most. */
const MEASURED_SECONDS = 20;
const FILLING_SECONDS = 300;

/** `alive` when drawing begins; `programsPerSecond`: children drawn for and added. */
type Size = {
  readonly programs: number;
  readonly alive: number;
  readonly fillSeconds: number;
  readonly drawn: number;
  readonly programsPerSecond: number;
  readonly residentMb: number;
};
export type OpenEvolve = { readonly version: string; readonly sizes: readonly Size[] } | { readonly skipped: string };

export const benchOpenEvolve = async (dir: string, say: (line: string) => void): Promise<OpenEvolve> => {
  const python = await installOpenEvolve(join(dir, 'openevolve'));
  if ('skipped' in python) {
    say(`  OpenEvolve: ${python.skipped}`);
    return python;
  }
  const sizes: Size[] = [];
  let version = 'unknown';
  // -I: the script's own folder, where it has the package's name, is not looked in.
  const child = spawn(
    python.file,
    [
      '-I',
      join(import.meta.dirname, 'openevolve.py'),
      SIZES.join(','),
      String(MEASURED_SECONDS),
      String(FILLING_SECONDS),
    ],
    { stdio: ['ignore', 'pipe', 2] },
  );
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  for await (const line of createInterface({ input: child.stdout! })) {
    const said = JSON.parse(line) as Size | { readonly version: string };
    if ('version' in said) {
      version = said.version;
      continue;
    }
    sizes.push(said);
    say(
      `  OpenEvolve, ${said.programs} programs: ${said.programsPerSecond} programs/s (${said.drawn} drawn for and added), ${said.residentMb} MB`,
    );
  }
  const code = await ended;
  if (code !== 0) return { skipped: `openevolve.py ended with ${code}` };
  for (const size of SIZES.slice(sizes.length))
    say(`  OpenEvolve, ${size} programs: not reached in ${FILLING_SECONDS} s of filling`);
  return { version, sizes };
};
