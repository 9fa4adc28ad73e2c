// The levels of isolation that a run can ask for. `noop` runs nothing and calls every program valid: a bench measures
// the engine with it, in processes that it starts with EVOLVE_ALLOW_NOOP=1. For all others there is no such level, and
// no document names it.
import { z } from 'zod';

const SANDBOXES = ['auto', 'docker', 'fast', 'bubblewrap'] as const;

/** Workflows have no environment, and never ask. */
export const isNoopAllowed = (): boolean => globalThis.process?.env['EVOLVE_ALLOW_NOOP'] === '1';

const EXPECTED = `one of ${SANDBOXES.join(', ')}`;

export const sandbox = z
  .enum([...SANDBOXES, 'noop'], { error: EXPECTED })
  .check(({ value, issues }) => {
    if (value === 'noop' && !isNoopAllowed())
      issues.push({ code: 'invalid_value', values: [...SANDBOXES], input: value, message: EXPECTED });
  })
  .meta({ enum: SANDBOXES });
