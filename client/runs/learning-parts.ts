// The parts that only runs that learn need. They are set up before the first of these runs starts.
import { hostname } from 'node:os';
import type { HostDocument } from '../../activities/store/documents/installation-documents.ts';
import type { Home } from '../../deploy/host/home.ts';
import { identityOf } from '../../deploy/host/process-identity.ts';
import { readUp } from '../../deploy/supervisor/plan.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { isSilent } from '../../evolution/hosts/hosts.ts';
import { rememberKey } from '../connect/keys.ts';
import { type HostStore, livingHosts } from '../connect/living-hosts.ts';

type Place = {
  readonly home: Home;
  readonly env: NodeJS.ProcessEnv;
  readonly say?: (line: string) => void;
};

type Learning = { readonly learning: Pick<RunConfig['learning'], 'server'> & { readonly trainer: string } };

/** The variable in which the clients of Tinker's protocol look for their key. */
const TINKER_KEY = 'TINKER_API_KEY';
/** Stands in keys.json for hosted Tinker, which has no address among the settings. */
const HOSTED = 'tinker';

/**
 * Sets up and starts what the trainers of these runs need, and remembers the key of a trainer's server, which the
 * trainers' worker reads from keys.json. Runs that do not learn need nothing. Throws SetupError with the fix.
 */
export const ensureLearning = async (
  place: Place,
  configs: readonly Learning[],
  withStore: <T>(use: (store: HostStore) => Promise<T>) => Promise<T>,
): Promise<void> => {
  const learning = configs.map((config) => config.learning).filter(({ trainer }) => trainer !== 'none');
  if (learning.length === 0) return;
  const key = place.env[TINKER_KEY];
  for (const { trainer, server } of learning)
    if (trainer === 'tinker' && key) rememberKey(place.home.root, server ?? HOSTED, key);
  const elsewhere = await withStore((store) => learnerElsewhere(store, place.home));
  if (elsewhere !== null) return place.say?.(`learning: by ${elsewhere}`);
  // Is loaded here, since most commands set up nothing.
  const { learn } = await import('../../deploy/stack/stack.ts');
  for (const trainer of new Set(learning.map((one) => one.trainer)))
    await learn(place.home, (part, message) => place.say?.(`${part}: ${message}`), place.env, trainer);
};

/**
 * A living learner of another data directory. The weights of policies are where the learner is, so two of them must
 * not share the updates of a run.
 */
const learnerElsewhere = async (store: HostStore, home: Home): Promise<string | null> => {
  const ours = (readUp(home)?.processes ?? []).map(({ pid }) => `${hostname()}:${pid}`);
  const now = new Date();
  /** One that was killed on this machine need not be listened for. */
  const isGone = (host: HostDocument): boolean =>
    host.host === hostname() && isSilent(host, now) && identityOf(host.pid) === null;
  const [found] = await livingHosts(
    store,
    (host) => host.role === 'learning' && !ours.includes(`${host.host}:${host.pid}`) && !isGone(host),
  );
  return found === undefined ? null : `${found.host} (pid ${found.pid})`;
};
