// Two sources of settings as layers: a file in YAML or JSON, and the environment, which is the weaker one and never
// holds a key.
import { tidyUrl } from './layers.ts';
import { OFFLINE_MODEL } from './offline.ts';
import { ConfigError } from './config-error.ts';
import type { Layer } from './problems.ts';
import { readYamlText } from './yaml.ts';

type Environment = { readonly [name: string]: string | undefined };

const VARIABLES = { baseUrl: 'OPENAI_BASE_URL', name: 'EVOLVE_MODEL' } as const;

/** The layer of OPENAI_BASE_URL, OPENAI_API_KEY and EVOLVE_MODEL; null where none of them is set. */
export const environmentLayer = (env: Environment): Layer | null => {
  const present = ['OPENAI_BASE_URL', 'OPENAI_API_KEY', 'EVOLVE_MODEL'].filter((name) => (env[name] ?? '') !== '');
  if (present.length === 0) return null;
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
      return variable !== undefined && present.includes(variable)
        ? variable
        : `environment (${present.join(' and ')} set)`;
    },
  };
};

/**
 * Parses a configuration file. Throws a ConfigError with every syntax error. `example` stands in the error of an empty
 * file.
 */
export const fileLayer = (file: string, text: string, example = 'task: circle-packing-square-26'): Layer => {
  const document = readYamlText(text, { json: /\.json$/i.test(file) });
  const place = ({ line, col }: { readonly line: number; readonly col: number }): string => `${file}:${line}:${col}`;
  if (document.kind === 'problems')
    throw new ConfigError(document.problems.map((problem) => `${place(problem)}: ${problem.message}.`));
  if (document.value === undefined || document.value === null)
    throw new ConfigError([
      `${file}:1:1: the file is empty${text.trim() === '' ? '' : ' but for comments'}; expected settings such as "${example}"`,
    ]);
  return { settings: document.value, where: (path) => place(document.placeOf(path)) };
};
