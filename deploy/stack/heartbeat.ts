// The time without a sign of life after which an activity is taken for dead: a setting of the host that runs the
// workflows. It is read before anything starts, by `evolve up`, and by the engine's worker for itself.
import { SetupError } from '../host/run-command.ts';

const NAME = 'EVOLVE_HEARTBEAT_TIMEOUT';
/** Workers send heartbeats every 3 s. */
const LEAST = 5;
const MOST = 3_600;

/** Throws SetupError that names the variable, what was expected and what came. */
export const heartbeatSeconds = (env: NodeJS.ProcessEnv): number => {
  const text = env[NAME] || String(LEAST);
  if (!/^\d{1,4}$/.test(text) || Number(text) < LEAST || Number(text) > MOST)
    throw new SetupError(
      `${NAME}: expected a whole number of seconds from ${LEAST} to ${MOST}, got ${JSON.stringify(text.slice(0, 100))}`,
    );
  return Number(text);
};
