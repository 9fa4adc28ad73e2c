// Which servers a command asks: those that were started or named at `evolve up` here, or, where nothing is up, those that
// the environment names. So commands also work on a machine that runs one role, in its container, or that runs nothing.
import { GIVEN_BYTES, readGiven } from '../activities/given-file.ts';
import type { HostDocument } from '../activities/store/installation.ts';
import type { Home } from '../deploy/host/home.ts';
import { isTemporalExternal, temporalNamed } from '../deploy/stack/external-servers.ts';
import { readUp, type UpInfo } from '../deploy/supervisor/plan.ts';
import { isSilent } from '../evolution/hosts.ts';
import { MissingError, UsageError } from './errors.ts';

type Where = { readonly home: Home; readonly env: NodeJS.ProcessEnv };
type Servers = Pick<UpInfo, 'temporal' | 'database'>;

/** Secrets of containers are files. The address has a password in it. Throws UsageError where it cannot be read. */
export const databaseAddress = (env: NodeJS.ProcessEnv): string | undefined => {
  const file = env['MONGODB_URI_FILE'];
  if (!file || env['MONGODB_URI']) return env['MONGODB_URI'] || undefined;
  try {
    return readGiven(file, { maxBytes: GIVEN_BYTES.settings }).trim();
  } catch (error) {
    throw new UsageError(
      `MONGODB_URI_FILE: expected a file with the address of the database, got ${file} (${(error as Error).message})`,
    );
  }
};

/** Whether nothing is up here and the environment names both servers. */
export const worksElsewhere = ({ home, env }: Where): boolean =>
  readUp(home) === null && isTemporalExternal(env) && Boolean(env['MONGODB_URI'] || env['MONGODB_URI_FILE']);

/** Throws MissingError where nothing is up and the environment does not name both. No server is asked. */
export const serversOf = async (where: Where): Promise<Servers> => {
  const uri = worksElsewhere(where) ? databaseAddress(where.env) : undefined;
  if (uri === undefined) return upOf(where);
  return {
    temporal: await temporalNamed(where.env),
    database: { uri, kind: 'external', version: null, external: true },
  };
};

export const START = 'start it with `npx evolve up` (or `npm start`)';

/** Throws MissingError where nothing was started. */
export const upOf = ({ home }: Pick<Where, 'home'>): UpInfo => {
  const info = readUp(home);
  if (info === null)
    throw new MissingError(
      `nothing is up for ${home.root}: ${START}; for servers that are up elsewhere, set TEMPORAL_ADDRESS and MONGODB_URI`,
    );
  return info;
};

const ROLES = ['engine', 'model'] as const;

/**
 * Null where each role that runs need is on a host that gives signs of life. Evaluation hosts may be started when there
 * is work for them, and a run that needs a kind of host says itself that it is missing.
 */
export const missingRole = (
  hosts: readonly Pick<HostDocument, 'role' | 'seenAt'>[],
  learns: boolean,
  now: Date,
): string | null =>
  [...ROLES, ...(learns ? ['learning'] : [])].find(
    (role) => !hosts.some((host) => host.role === role && !isSilent(host, now)),
  ) ?? null;
