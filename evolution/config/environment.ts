// The model as the environment names it: OPENAI_BASE_URL, OPENAI_API_KEY, EVOLVE_MODEL. A layer below files and flags; never holds the key.
import type { Layer } from './schema.ts';
import { OFFLINE_MODEL } from './offline.ts';
import { tidyUrl } from './tidy-url.ts';

export type Environment = { readonly [name: string]: string | undefined };

const VARIABLES = { baseUrl: 'OPENAI_BASE_URL', name: 'EVOLVE_MODEL' } as const;

/** Null where no variable speaks of a model. */
export const environmentLayer = (env: Environment): Layer | null => {
  const given = ['OPENAI_BASE_URL', 'OPENAI_API_KEY', 'EVOLVE_MODEL'].filter((name) => (env[name] ?? '') !== '');
  if (given.length === 0) return null;
  const offline = env['EVOLVE_MODEL'] === OFFLINE_MODEL;
  const baseUrl = env['OPENAI_BASE_URL'];
  const name = env['EVOLVE_MODEL'];
  return {
    settings: {
      model: {
        kind: offline ? 'offline' : 'openai',
        ...(baseUrl && !offline ? { baseUrl: tidyUrl(baseUrl) } : {}),
        ...(name ? { name } : {}),
      },
    },
    where: (path) => {
      const variable = VARIABLES[path[1] as keyof typeof VARIABLES];
      return variable !== undefined && given.includes(variable) ? variable : `environment (${given.join(' and ')} set)`;
    },
  };
};
