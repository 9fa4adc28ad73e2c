// The model of this installation, which runs take that name none and which no command starts, and the key to it.
import { newRunConfig } from '../../activities/run/new-run-config.ts';
import { installationModel, modelVariables, rememberModel } from '../../deploy/stack/installation-model.ts';
import { ConfigError } from '../../evolution/config/config-error.ts';
import { hideCredentials } from '../../evolution/config/layers.ts';
import { environmentLayer } from '../../evolution/config/sources.ts';
import { modelNames } from '../../evolution/models/ensemble.ts';
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

/**
 * Remembers the model that the environment names, where it names one, and its key, which nobody else would do for such
 * runs. Null, or why it cannot be the installation's; then nothing changes.
 */
export const rememberDefaultModel = ({ home, env }: Pick<Place, 'home' | 'env'>): string | null => {
  const variables = modelVariables(env);
  if (variables === null) return null;
  try {
    const { model } = newRunConfig({}, environmentLayer(variables));
    rememberModel(home.root, variables);
    if (model.kind !== 'offline') refreshKey(home.root, [model], env);
    return null;
  } catch (error) {
    if (error instanceof ConfigError) return `no model for runs that name none: ${error.message}`;
    throw error;
  }
};
