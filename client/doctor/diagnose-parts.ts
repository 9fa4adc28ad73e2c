// Every part of an installation with its state and the fix: the findings of the machine (deploy/stack/diagnose.ts) and
// those of the database and the workflow engine.
import { SchemaError } from '../../activities/store/documents/errors.ts';
import type { Store } from '../../activities/store/store.ts';
import { soonMs } from '../../deploy/host/patience.ts';
import { type Destination, readDestination } from '../../deploy/host/notify.ts';
import { SetupError } from '../../deploy/host/run-command.ts';
import { diagnose, type Finding } from '../../deploy/stack/diagnose.ts';
import { type Place, withEngine, withStore } from '../connect/connection.ts';
import { defaultModel } from '../connect/default-model.ts';
import { namespaceRefusal } from '../connect/namespace.ts';
import { type QueueRate, queueRates } from '../temporal/queue-rates.ts';
import { attributeProblem } from '../temporal/search-attributes.ts';
import { isForbidden } from '../connect/errors.ts';
import { runsFinding } from '../read/state-findings.ts';
import { unservedVersions } from '../upkeep/upgrade.ts';
import { unservedFinding } from '../upkeep/upgrade-forecast.ts';
import { trackersState } from './trackers.ts';

export const diagnoseParts = async (place: Place): Promise<readonly Finding[]> => {
  const machine = await diagnose(place.home);
  const engineAnswers = machine.some(({ part, ok }) => part === 'Temporal' && ok);
  return [...machine, ...(await ofNamespace(place, engineAnswers)), ofModel(place), ...(await ofNotices(place))];
};

/** Leaves a part out that is away, because that is a finding of its own. */
const ofNamespace = async (place: Place, engineAnswers: boolean): Promise<readonly Finding[]> => {
  let runs: readonly Finding[] = [];
  try {
    const read = async (store: Store): Promise<readonly Finding[]> => {
      runs = [runsFinding(await store.listRuns())];
      if (!engineAnswers) return runs;
      const ofEngine = await withEngine(
        place,
        (engine) =>
          allOf({
            namespace: async () => [ofOwner(await namespaceRefusal(place, engine, store))],
            'search attributes': async () => ofAttributes(await attributeProblem(engine.connection, engine.namespace)),
            rates: async () => (await queueRates(engine, await store.neededQueues())).flatMap(ofRate),
            versions: async () => (await unservedVersions(place, engine)).map(ofVersion),
          }),
        soonMs(),
      );
      return [...ofEngine, ...runs];
    };
    return await withStore(place, read, soonMs());
  } catch (error) {
    return (error as Error).cause instanceof SchemaError ? [ofSchema(error as Error)] : runs;
  }
};

type Questions = { readonly [part: string]: () => Promise<readonly Finding[]> };

/** A question that fails is a finding, and hides no other. */
export const allOf = async (questions: Questions): Promise<readonly Finding[]> =>
  (
    await Promise.all(
      Object.entries(questions).map(([part, ask]) =>
        ask().catch((error: unknown): readonly Finding[] => [unasked(part, error as Error)]),
      ),
    )
  ).flat();

/** A key that may not ask, or a server that does not know the question, works all the same. */
const unasked = (part: string, error: Error): Finding => {
  const detail = `could not be found out: ${error.message}`;
  return isForbidden(error)
    ? { part, ok: true, detail }
    : { part, ok: false, detail, fix: 'npx evolve doctor again, once the server answers' };
};

const ofOwner = (refused: string | null): Finding =>
  refused === null
    ? { part: 'namespace', ok: true, detail: 'works with this database' }
    : {
        part: 'namespace',
        ok: false,
        detail: refused,
        fix: 'npx evolve down, then npx evolve up with another TEMPORAL_NAMESPACE or MONGODB_URI; a namespace is also taken over with --take-namespace',
      };

const ofAttributes = (problem: Awaited<ReturnType<typeof attributeProblem>>): readonly Finding[] =>
  problem === null ? [] : [{ part: 'search attributes', ok: false, ...problem }];

const ofVersion = (one: Awaited<ReturnType<typeof unservedVersions>>[number]): Finding => ({
  part: 'versions',
  ok: false,
  ...unservedFinding(one),
});

const ofSchema = ({ message }: Error): Finding => ({
  part: 'schema',
  ok: false,
  detail: message,
  fix: 'git pull, then npx evolve up; runs stay as they are meanwhile, and go on with the workers of the newer version',
});

/** A queue without a rate is nothing to tell of. */
const ofRate = ({ queue, perSecond, reason, waiting }: QueueRate): readonly Finding[] => {
  if (perSecond === null) return [];
  const detail = `${queue} hands out ${perSecond} activities a second${reason ? ` (${reason})` : ''}, ${waiting} wait`;
  return [
    perSecond > 0
      ? { part: 'rates', ok: true, detail }
      : { part: 'rates', ok: false, detail, fix: `npx evolve rates set ${queue} off` },
  ];
};

const ofModel = (place: Place): Finding => {
  const { ok, detail } = defaultModel(place);
  const fix = 'run `npx evolve up` with OPENAI_BASE_URL and EVOLVE_MODEL set, or with EVOLVE_MODEL=offline';
  return { part: 'models', ok, detail, ...(ok ? {} : { fix }) };
};

/** Nothing where the database is away, which is a finding of its own. */
const ofNotices = async (place: Place): Promise<readonly Finding[]> => {
  try {
    const listed = () => withStore(place, (store) => store.listNotices({}), soonMs());
    const tracking = () => withStore(place, (store) => store.listTracking(), soonMs());
    return [
      { part: 'notices', ...(await noticesState(place, listed)) },
      ...(await trackersState(place.home.root, place.env, tracking)),
    ];
  } catch {
    return [];
  }
};

/** The host alone, because the rest of an address may be a secret. */
const whereTo = (to: Destination): string =>
  to.kind === 'webhook'
    ? `webhook at ${new URL(to.url).host}${to.secret === null ? ', without a signature' : ''}`
    : `command ${to.command[0]}`;

export const noticesState = async (
  place: Pick<Place, 'home' | 'env'>,
  listed: () => ReturnType<Store['listNotices']>,
): Promise<Omit<Finding, 'part'>> => {
  let to: Destination | null;
  try {
    to = readDestination(place.home.root, place.env);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    return { ok: false, detail: error.message, fix: 'mend or remove the file; workers read it again by themselves' };
  }
  if (to === null)
    return { ok: true, detail: `notifications are off; to switch them on, write ${place.home.root}/notify.json` };
  const notices = await listed();
  const failing = notices.filter(({ state, error }) => state !== 'sent' && error !== null);
  const detail = `${whereTo(to)}; ${notices.filter(({ state }) => state === 'sent').length} sent`;
  const last = failing.at(-1);
  if (last === undefined) return { ok: true, detail };
  return {
    ok: false,
    detail: `${detail}, ${failing.length} not; the last one: ${last.error}`,
    fix: 'mend what the error names; an open notice is tried again by itself for about a day',
  };
};
