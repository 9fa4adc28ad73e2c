// From layers of settings to a run's complete settings, with its key guarded. Used by the command line's flags, start() and fork().
import { environmentLayer, tidyUrl } from '../../evolution/config/environment.ts';
import { resolveConfig, type Layer, type Resolved } from '../../evolution/config/schema.ts';
import { ConfigError } from './errors.ts';

/** Layers from the weakest to the strongest; the environment lies below them all. Throws ConfigError with every problem. */
export const resolveSettings = (layers: readonly Layer[], env: NodeJS.ProcessEnv): Resolved => {
  const environment = environmentLayer(env);
  const resolved = resolveConfig([...(environment === null ? [] : [environment]), ...layers]);
  guardKey(resolved, env);
  return resolved;
};

/** A configuration file may come from somebody else: it cannot redirect a key that belongs to another endpoint. */
const guardKey = ({ config, whereabouts }: Resolved, env: NodeJS.ProcessEnv): void => {
  const theirs = env['OPENAI_BASE_URL'];
  if (!env['OPENAI_API_KEY'] || !theirs || config.model.kind === 'offline' || config.model.baseUrl === null) return;
  const where = whereabouts('model.baseUrl');
  if (tidyUrl(theirs) === config.model.baseUrl || where === '--base-url') return;
  throw new ConfigError([`${where}: model.baseUrl: the endpoint ${config.model.baseUrl} is not that of OPENAI_BASE_URL (${tidyUrl(theirs)}), to which OPENAI_API_KEY belongs. Set OPENAI_BASE_URL to the same endpoint, give it as --base-url, or unset it.`]);
};
