// The trackers of the installation: a file of the data directory, because settings of a run come from anybody who may
// start one, and must not make a worker call an address or write to a folder.
import { isAbsolute, join } from 'node:path';
import { namedJson, TRACKERS_FILE } from '../host/notify.ts';
import { SetupError } from '../host/run-command.ts';

export const TRACKERS = ['mlflow', 'tensorboard', 'wandb'] as const;
export type TrackerName = (typeof TRACKERS)[number];
const KEYS: readonly string[] = [...TRACKERS, 'python'];
/** The address of an MLflow server, the absolute folder of the others, and the Python that has the package `wandb`. */
export type Trackers = { readonly [name in TrackerName | 'python']?: string };

const isServer = (value: string): boolean => {
  const { protocol, username, password } = URL.parse(value) ?? {};
  return /^https?:$/.test(protocol ?? '') && username === '' && password === '' && !/[?#]/.test(value);
};

/** Empty where nobody asked for one. Throws SetupError that names the file, the key, what was expected and what came. */
export const readTrackers = (root: string, env: NodeJS.ProcessEnv): Trackers => {
  const [file, given] = namedJson(env, TRACKERS_FILE, join(root, 'trackers.json'), 'that names trackers');
  if (given === null) return {};
  const refuse = (key: string, expected: string, value: unknown): never => {
    const text = (JSON.stringify(value) ?? '').slice(0, 100);
    // An address may hold a key.
    throw new SetupError(`${file}: ${key}expected ${expected}, got ${text.includes('//') ? '(not shown)' : text}`);
  };
  if (typeof given !== 'object' || Array.isArray(given))
    return refuse('', `a mapping with some of ${KEYS.join(', ')}`, given);
  for (const [name, value] of Object.entries(given)) {
    if (!KEYS.includes(name)) refuse('', `the keys ${KEYS.join(', ')}`, name);
    if (name === 'mlflow' && !(typeof value === 'string' && isServer(value)))
      refuse(
        'mlflow: ',
        'an address that begins with http:// or https://, without user, password, query and fragment',
        '(not shown)',
      );
    if (name !== 'mlflow' && !(typeof value === 'string' && isAbsolute(value)))
      refuse(`${name}: `, `the absolute path of a ${name === 'python' ? 'program' : 'folder'}`, value);
  }
  return given;
};
