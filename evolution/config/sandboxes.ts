// A run can ask for one of these levels of isolation. The level `noop` is taken only in processes that allow it.
import { z } from 'zod';
import { isNoopAllowed } from './noop.ts';

const SANDBOXES = ['auto', 'docker', 'fast', 'bubblewrap'] as const;
const EXPECTED = `one of ${SANDBOXES.join(', ')}`;

export const sandbox = z
  .enum([...SANDBOXES, 'noop'], { error: EXPECTED })
  .check(({ value, issues }) => {
    if (value === 'noop' && !isNoopAllowed())
      issues.push({ code: 'invalid_value', values: [...SANDBOXES], input: value, message: EXPECTED });
  })
  .meta({ enum: SANDBOXES });
