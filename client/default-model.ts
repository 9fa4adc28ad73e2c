// The model of this installation, which runs take that name none and which no command starts, and the key to it.
import { newRunConfig } from '../activities/run/new-run-config.ts';
import { installationModel } from '../deploy/stack/installation-model.ts';
import { ConfigError } from '../evolution/config/config-error.ts';
import { hideCredentials, tidyUrl } from '../evolution/config/layers.ts';
import { environmentLayer } from '../evolution/config/sources.ts';
import { modelNames } from '../evolution/models/ensemble.ts';
import type { Place } from './connection.ts';
import { refreshKey } from './keys.ts';

/** One line for people; not `ok` where such runs are refused. */
export const defaultModel = ({ home }: Pick<Place, 'home'>): { readonly ok: boolean; readonly detail: string } => {
  try {
    const config = newRunConfig({}, environmentLayer(installationModel(home.root, {})));
    const { kind, baseUrl } = config.model;
    const at = kind === 'offline' || baseUrl === null ? '' : ` at ${hideCredentials(baseUrl)}`;
    return {
      ok: true,
      detail: `runs that the Temporal UI or a schedule starts without a model take ${modelNames(config)}${at}`,
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return {
      ok: false,
      detail: `runs that the Temporal UI or a schedule starts without a model are refused: ${error.message}`,
    };
  }
};

/** Remembers OPENAI_API_KEY for the endpoint of OPENAI_BASE_URL, which nobody else would do for such runs. */
export const rememberDefaultKey = ({ home, env }: Pick<Place, 'home' | 'env'>): void => {
  const baseUrl = env['OPENAI_BASE_URL'];
  if (baseUrl) refreshKey(home.root, [{ kind: 'openai', baseUrl: tidyUrl(baseUrl) }], env);
};
