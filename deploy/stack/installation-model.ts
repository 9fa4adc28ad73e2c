// The model that runs take which name none and which no command starts: runs from the Temporal UI, schedules, sweeps.
// It is the one that the environment named when `evolve up` or `evolve start` was last given one, so that another shell,
// which names none, changes nothing. Its key is not here but in keys.json.
import { join } from 'node:path';
import { readJsonOrNull, writeJsonAtomically } from '../host/files.ts';

/** By the variables of which `evolve run` takes it. */
type ModelVariables = { readonly OPENAI_BASE_URL?: string; readonly EVOLVE_MODEL?: string };

const NAMES = ['OPENAI_BASE_URL', 'EVOLVE_MODEL'] as const;
const fileOf = (root: string): string => join(root, 'model.json');

/** Null where they name none. */
export const modelVariables = (variables: { readonly [name: string]: unknown }): ModelVariables | null => {
  const named = NAMES.flatMap((name) => {
    const value = variables[name];
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  return named.length === 0 ? null : Object.fromEntries(named);
};

export const rememberModel = (root: string, named: ModelVariables): void => writeJsonAtomically(fileOf(root), named);

/** The model of this process's environment, else the remembered one; empty where it is the offline model. */
export const installationModel = (root: string, env: NodeJS.ProcessEnv): ModelVariables =>
  modelVariables(env) ?? modelVariables(readJsonOrNull<Record<string, unknown>>(fileOf(root)) ?? {}) ?? {};
