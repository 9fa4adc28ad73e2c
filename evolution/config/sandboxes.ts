// A run can ask for one of these levels of isolation, and for an OCI runtime of the container engine. The level `noop` is
// taken only in processes that allow it.
import { z } from 'zod';
import type { IsolationLevel, OciRuntime } from '../types.ts';
import { isNoopAllowed } from './noop.ts';

const SANDBOXES = ['auto', 'docker', 'fast', 'bubblewrap', 'agent-sandbox'] as const;
const EXPECTED = `one of ${SANDBOXES.join(', ')}`;
export const RUNTIMES = ['engine', 'runc', 'runsc', 'kata'] as const satisfies readonly OciRuntime[];

export const sandbox = z
  .enum([...SANDBOXES, 'noop'], { error: EXPECTED })
  .check(({ value, issues }) => {
    if (value === 'noop' && !isNoopAllowed())
      issues.push({ code: 'invalid_value', values: [...SANDBOXES], input: value, message: EXPECTED });
  })
  .meta({ enum: SANDBOXES });

/** The levels whose containers an engine or a cluster makes, and which therefore have a runtime. */
const OF_ENGINE = ['docker', 'fast', 'agent-sandbox'] as const;
type OfEngine = (typeof OF_ENGINE)[number];
export const isOfEngine = (sandboxName: string): sandboxName is OfEngine =>
  OF_ENGINE.some((one) => one === sandboxName);

/**
 * The parent of the level `fast` counts by the cgroup of its container what was killed for its memory, and gVisor shows
 * none. Kata was not tried with it.
 */
export const fits = (level: OfEngine, runtime: OciRuntime): boolean =>
  level !== 'fast' || runtime === 'engine' || runtime === 'runc';

/** `docker` and `runsc` make `docker+runsc`. The engine's own runtime adds nothing. */
export const withRuntime = (level: OfEngine, runtime: OciRuntime): IsolationLevel =>
  runtime === 'engine' ? level : `${level}+${runtime}`;

/** The level as people name it, taken apart; null where there is none of this name. */
export const readLevel = (
  level: string,
): { readonly sandbox: OfEngine | 'bubblewrap'; readonly runtime: OciRuntime } | null => {
  if (level === 'bubblewrap') return { sandbox: level, runtime: 'engine' };
  const [name = '', runtime = 'engine', ...rest] = level.split('+');
  const known = RUNTIMES.find((one) => one === runtime);
  return isOfEngine(name) && known !== undefined && rest.length === 0 && fits(name, known)
    ? { sandbox: name, runtime: known }
    : null;
};

/** Levels that give programs GPUs. gVisor and Kata need an engine that was set up for it, which was not tried. */
export const takesGpus = (level: string): boolean => {
  const named = readLevel(level);
  return named?.sandbox === 'docker' && (named.runtime === 'engine' || named.runtime === 'runc');
};

/** Programs in other languages, and scores that are times, need a container of their own for each program. */
export const isSingleUseContainer = (level: string): boolean => readLevel(level)?.sandbox === 'docker';
