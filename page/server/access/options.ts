// The address and the rights of the page's server. They come from its environment, because `evolve ui`, the supervisor
// and `evolve worker page` start it as a process of its own.
import { UsageError } from '../../../client/connect/errors.ts';
import { isLoopback } from '../../../deploy/host/loopback.ts';
import { pageToken } from '../../../deploy/host/page-token.ts';
import { shown } from '../../../evolution/config/shown.ts';
import type { Access } from './gate.ts';

/** `port` is null where any will do. */
export type Listening = Access & { readonly host: string; readonly port: number | null };

const tokenIn = (path: string, ownOnly: boolean): string => {
  try {
    return pageToken(path, { setting: '--token-file', ownOnly });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
};

const portIn = (text: string): number => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError(`--port: expected a number from 0 to 65535, got ${JSON.stringify(text.slice(0, 100))}`);
  return Number(text);
};

const originIn = (text: string): string => {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '') || URL.parse(text)?.origin !== text)
    throw new UsageError(`--frame: expected an origin such as https://lab.example, got ${shown(text)}`);
  return text;
};

/**
 * The page of this machine may act; one that others reach only shows, unless it is told otherwise. `ownOnly`: a file
 * with the token must be readable by its owner alone, which one that a cluster mounts is not.
 */
export const listeningOf = (env: NodeJS.ProcessEnv, { ownOnly = false } = {}): Listening => {
  const host = env['EVOLVE_PAGE_HOST'] || '127.0.0.1';
  const file = env['EVOLVE_PAGE_TOKEN_FILE'];
  const token = file ? tokenIn(file, ownOnly) : null;
  if (token === null && !isLoopback(host))
    throw new UsageError(
      `--host ${host}: others reach this address, and whoever asks sees every run: name a --token-file, or listen on 127.0.0.1`,
    );
  const [never, told] = [env['EVOLVE_PAGE_READ_ONLY'] === '1', env['EVOLVE_PAGE_ALLOW_ACTIONS'] === '1'];
  const readOnly = never
    ? 'This page only shows: it was started with --read-only.'
    : !isLoopback(host) && !told
      ? 'This page only shows, because others reach it: `evolve ui --allow-actions` lets it act.'
      : null;
  const [port, frame] = [env['EVOLVE_PAGE_PORT'], env['EVOLVE_PAGE_FRAME']];
  return { host, port: port ? portIn(port) : null, token, readOnly, ...(frame ? { frame: originIn(frame) } : {}) };
};
