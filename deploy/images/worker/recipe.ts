// Reads the recipe of the worker image, so that there is one for `docker build` and for our own builder.
import { readFileSync } from 'node:fs';

/** The last stage of the recipe. */
export type Recipe = {
  readonly debianPackages: readonly string[];
  readonly npmFlags: readonly string[];
  /** The folder of the project in the image. */
  readonly workDir: string;
  /** Paths from the root of the clone, that lie at the same paths below `workDir`. */
  readonly sources: readonly string[];
  /** Directories that everybody may write in. */
  readonly openDirectories: readonly string[];
  /** The OCI's image configuration. */
  readonly config: {
    readonly Env: readonly string[];
    readonly User: string;
    readonly WorkingDir: string;
    readonly Entrypoint: readonly string[];
    readonly StopSignal: string;
    readonly ExposedPorts: Readonly<Record<string, object>>;
    readonly Healthcheck: Readonly<Record<string, unknown>>;
  };
};

const SECOND_NS = 1_000_000_000;

const linesOf = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));

const capture = (pattern: RegExp, line: string): string => {
  const match = pattern.exec(line)?.[1];
  if (match === undefined) throw new Error(`the recipe of the worker image: expected ${pattern} in: ${line}`);
  return match;
};

const healthcheck = (rest: string): Recipe['config']['Healthcheck'] => {
  const seconds = (flag: string): number => Number(capture(new RegExp(`--${flag}=(\\d+)s`), rest)) * SECOND_NS;
  return {
    Test: ['CMD', ...(JSON.parse(capture(/ CMD (\[.*\])$/, rest)) as readonly string[])],
    Interval: seconds('interval'),
    Timeout: seconds('timeout'),
    StartPeriod: seconds('start-period'),
    Retries: Number(capture(/--retries=(\d+)/, rest)),
  };
};

export const readRecipe = (file: string): Recipe => {
  const lines = linesOf(readFileSync(file, 'utf8'));
  const last = lines.findLastIndex((line) => line.startsWith('FROM '));
  const npm = lines.slice(0, last).find((line) => line.startsWith('RUN npm ci'));
  const all = (name: string): readonly string[] =>
    lines
      .slice(last + 1)
      .filter((line) => line.startsWith(`${name} `))
      .map((line) => line.slice(name.length + 1));
  const one = (name: string): string => {
    const [value, more] = all(name);
    if (value === undefined || more !== undefined)
      throw new Error(`the recipe of the worker image: expected one ${name} in its last stage`);
    return value;
  };
  const STATEMENT = /^(RUN (apt-get update|mkdir)|WORKDIR|COPY|ENV|USER|EXPOSE|HEALTHCHECK|STOPSIGNAL|ENTRYPOINT) /;
  const other = lines.slice(last + 1).find((line) => !STATEMENT.test(`${line} `));
  if (other !== undefined)
    throw new Error(`the recipe of the worker image: our own builder does not know this instruction: ${other}`);
  const runs = all('RUN');
  const copies = all('COPY').filter((line) => !line.startsWith('--from='));
  return {
    debianPackages: runs
      .filter((line) => line.startsWith('apt-get'))
      .flatMap((line) => capture(/--no-install-recommends ([a-z0-9 .+-]+?) &&/, line).split(' ')),
    npmFlags: capture(/^RUN npm ci (.*?) &&/, npm ?? '').split(' '),
    workDir: one('WORKDIR'),
    sources: copies.flatMap((line) => line.split(' ').slice(0, -1)),
    openDirectories: runs
      .filter((line) => line.startsWith('mkdir'))
      .map((line) => capture(/^mkdir -m 1777 (\/\S+)$/, line)),
    config: {
      Env: all('ENV'),
      User: one('USER'),
      WorkingDir: one('WORKDIR'),
      Entrypoint: JSON.parse(one('ENTRYPOINT')) as readonly string[],
      StopSignal: one('STOPSIGNAL'),
      ExposedPorts: Object.fromEntries(all('EXPOSE').map((port) => [`${port}/tcp`, {}])),
      Healthcheck: healthcheck(one('HEALTHCHECK')),
    },
  };
};
