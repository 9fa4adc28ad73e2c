// The levels of isolation and their abilities. Each is registered here once; all rules and sentences read `can`.
import type { IsolationLevel, OciRuntime } from '../types.ts';

export const RUNTIMES = ['engine', 'runc', 'runsc', 'kata'] as const satisfies readonly OciRuntime[];

export type Level = {
  readonly name: string;
  readonly can: {
    /** Gives programs GPUs. */
    readonly gpu: boolean;
    /** Keeps a program on a core of its own, so that its time can be a score. */
    readonly timed: boolean;
    /** The OCI runtimes that its containers can have; `engine` alone where it has no containers. */
    readonly runtimes: readonly OciRuntime[];
  };
  /** It needs the Docker engine of the machine. */
  readonly engine: boolean;
  /**
   * A program of the machine, and its Debian package. Without an engine, such a level is the fallback, and `weaker` says
   * by what, as a clause.
   */
  readonly program?: { readonly command: string; readonly package: string; readonly weaker: string };
  /** Variables of the environment that its workers are given, by the beginnings of their names. */
  readonly environment?: readonly string[];
  /** The module that opens it (`OpenLevel`): a path from the root of the project, or a URL. */
  readonly launcher: string;
};

const levels: Level[] = [
  {
    name: 'fork',
    // Its parent counts by the cgroup of its container what was killed for its memory. gVisor shows none, and Kata was
    // not tried with it.
    can: { gpu: false, timed: false, runtimes: ['engine', 'runc'] },
    engine: true,
    launcher: 'activities/sandbox/levels/fork.ts',
  },
  {
    name: 'docker',
    can: { gpu: true, timed: true, runtimes: RUNTIMES },
    engine: true,
    launcher: 'activities/sandbox/levels/docker.ts',
  },
  {
    name: 'bubblewrap',
    can: { gpu: false, timed: false, runtimes: ['engine'] },
    engine: false,
    program: {
      command: 'bwrap',
      package: 'bubblewrap',
      weaker:
        'memory is limited for each process of a program and not for all together, and tasks with packages, other languages, GPUs or times as scores are refused',
    },
    launcher: 'activities/sandbox/levels/bubblewrap.ts',
  },
];

/** Adds a level of an outside package, once a process; deploy/host/outside-levels.ts finds them. */
export const registerLevel = (level: Level): void => {
  if (levelOf(level.name) === null) levels.push(level);
};

export const allLevels = (): readonly Level[] => levels;

export const levelOf = (name: string): Level | null => levels.find((level) => level.name === name) ?? null;

/** The level of runs that leave it open, where the machine has an engine. */
export const DEFAULT_LEVEL = levels[0]!.name;

/** The levels that take the place of an engine. */
export const fallbackLevels = (): readonly Level[] => levels.filter(({ program }) => program !== undefined);

type Wants = {
  readonly timed: boolean;
  readonly gpu: boolean;
  readonly runtime: OciRuntime;
};

/** The first thing that a level cannot do, of those that are wanted; null where it can do all. */
export const lackOf = ({ can }: Level, wants: Wants): keyof Wants | null =>
  (['timed', 'gpu'] as const).find((what) => wants[what] && !can[what]) ??
  (can.runtimes.includes(wants.runtime) ? null : 'runtime');

/**
 * The level that a machine gives a run that leaves it open: its own, or, where that lacks what is wanted and the machine
 * has an engine, the first that lacks nothing.
 */
export const autoLevel = (own: string, wants: Wants): string => {
  const level = levelOf(own);
  if (level === null || !level.engine || lackOf(level, wants) === null) return own;
  return levels.find((other) => other.engine && lackOf(other, wants) === null)?.name ?? own;
};

/** The names of the levels that can do something, as a sentence lists them. */
export const levelsThat = (holds: (can: Level['can'] & Pick<Level, 'engine'>) => boolean): string =>
  levels
    .filter(({ can, engine }) => holds({ ...can, engine }))
    .map(({ name }) => name)
    .join(' or ');

/** `docker` and `runsc` make `docker+runsc`. The engine's own runtime adds nothing. */
export const withRuntime = (name: string, runtime: OciRuntime): IsolationLevel =>
  runtime === 'engine' ? name : `${name}+${runtime}`;

/** A level with its runtime, as people and results name it, taken apart; null where there is none of this name. */
export const readLevel = (text: string): { readonly level: Level; readonly runtime: OciRuntime } | null => {
  const [name = '', named = 'engine', ...rest] = text.split('+');
  const level = levelOf(name);
  const runtime = level?.can.runtimes.find((one) => one === named);
  return level === null || runtime === undefined || rest.length > 0 ? null : { level, runtime };
};

/** True where the named level measures times; false where there is none of this name. */
export const canTime = (text: string): boolean => readLevel(text)?.level.can.timed === true;

/** True where programs get GPUs. gVisor and Kata were not tried with them. */
export const givesGpus = (text: string): boolean => {
  const read = readLevel(text);
  return read !== null && read.level.can.gpu && (read.runtime === 'engine' || read.runtime === 'runc');
};
