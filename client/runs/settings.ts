// Makes a run's complete settings from layers of settings, and guards its API key.
import { usePriceFile } from '../../activities/llm/price-file.ts';
import { shapingLayer } from '../../activities/task/shaping.ts';
import { resolveHome } from '../../deploy/host/home.ts';
import { ConfigError } from '../../evolution/config/config-error.ts';
import { hideCredentials, tidyUrl } from '../../evolution/config/layers.ts';
import type { Layer } from '../../evolution/config/problems.ts';
import { environmentLayer } from '../../evolution/config/sources.ts';
import { resolveConfig, type Resolved } from '../../evolution/methods/resolve.ts';

/**
 * The layers come from the weakest to the strongest, and the environment lies below them all. Throws ConfigError with
 * every problem.
 */
export const resolveSettings = (layers: readonly Layer[], env: NodeJS.ProcessEnv): Resolved => {
  const broken = usePriceFile(resolveHome(env).root);
  const environment = environmentLayer(env);
  const all = [...(environment === null ? [] : [environment]), ...layers];
  const resolved = resolveConfig([...shapingLayer(all), ...all]);
  guardKey(resolved, env);
  return broken === null ? resolved : { ...resolved, notes: [broken, ...resolved.notes] };
};

/**
 * A configuration file may come from somebody else, so it cannot send a key to an endpoint to which the key does not
 * belong.
 */
const guardKey = ({ config, whereabouts }: Resolved, env: NodeJS.ProcessEnv): void => {
  const theirs = env['OPENAI_BASE_URL'];
  if (!env['OPENAI_API_KEY'] || !theirs || config.model.kind === 'offline' || config.model.baseUrl === null) return;
  const where = whereabouts('model.baseUrl');
  if (tidyUrl(theirs) === config.model.baseUrl || where === '--base-url') return;
  throw new ConfigError([
    `${where}: model.baseUrl: the endpoint ${hideCredentials(config.model.baseUrl)} is not that of OPENAI_BASE_URL (${hideCredentials(tidyUrl(theirs))}), to which OPENAI_API_KEY belongs. Set OPENAI_BASE_URL to the same endpoint, give it as --base-url, or unset it.`,
  ]);
};
