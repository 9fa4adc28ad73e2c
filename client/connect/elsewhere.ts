// Commands where nothing of this data directory is up: the environment names the servers, and all workers run
// elsewhere, as with deploy/compose.yaml and the Helm chart.
import { GIVEN_BYTES, readGiven } from '../../activities/given-file.ts';
import type { Home } from '../../deploy/host/home.ts';
import { namedTemporal, uiAddress } from '../../deploy/servers/external-servers.ts';
import type { UpInfo } from '../../deploy/supervisor/plan.ts';
import { MissingError, UsageError } from './errors.ts';
import { type HostStore, livingHosts } from './living-hosts.ts';
import { DEFAULT_LEVEL } from '../../evolution/config/levels.ts';

/** Secrets of containers are files. The address has a password in it. */
export const databaseIn = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const file = env['MONGODB_URI_FILE'];
  if (!file || env['MONGODB_URI']) return {};
  try {
    return { MONGODB_URI: readGiven(file, { maxBytes: GIVEN_BYTES.settings }).trim() };
  } catch (error) {
    throw new UsageError(
      `MONGODB_URI_FILE: expected a file with the address of the database, got ${file} (${(error as Error).message})`,
    );
  }
};

/** No supervisor makes a plan of this name. */
const PLAN = 'elsewhere';
export const isElsewhere = ({ plan }: UpInfo): boolean => plan === PLAN;

/** Null where the environment does not name both servers. Throws SetupError for a profile that cannot be read. */
export const upElsewhere = ({ root }: Home, env: NodeJS.ProcessEnv): UpInfo | null => {
  const uri = env['MONGODB_URI'] ?? databaseIn(env)['MONGODB_URI'];
  const server = uri ? namedTemporal(env) : null;
  if (!uri || server === null) return null;
  const { address, namespace } = server;
  return {
    ...{ home: root, startedAt: '', plan: PLAN, supervisor: { pid: 0, identity: '', revision: '' }, processes: [] },
    temporal: { address, namespace, ui: uiAddress(env), external: true },
    database: { uri, kind: 'external', version: null, external: true },
    docker: { host: null, kind: 'none', level: DEFAULT_LEVEL },
    image: { id: null },
  };
};

/** Workers of the other roles may be started when there is work for them. */
export const requireEngine = async (store: HostStore, listenMs?: number): Promise<void> => {
  if ((await livingHosts(store, ({ role }) => role === 'engine', listenMs)).length === 0)
    throw new MissingError(
      'no worker of the role engine gives signs of life: `npx evolve hosts` lists them, `npx evolve worker engine` (or `npx evolve up`) starts one',
    );
};
