// Every part of an installation with its state and the fix: what the machine says (deploy/stack/diagnose.ts), and what
// only the database and the workflow engine know.
import { SchemaError } from '../../activities/store/documents/errors.ts';
import type { Store } from '../../activities/store/store.ts';
import { soonMs } from '../../deploy/host/patience.ts';
import { diagnose, type Finding } from '../../deploy/stack/diagnose.ts';
import { openEngine, openStore, type Place } from '../connect/connection.ts';
import { defaultModel } from '../connect/default-model.ts';
import { namespaceRefusal } from '../connect/namespace.ts';
import { noticesState } from './notices.ts';
import { type QueueRate, queueRates } from '../temporal/queue-rates.ts';
import { attributeProblem } from '../temporal/search-attributes.ts';
import { runsFinding } from '../read/state-findings.ts';
import { unservedVersions } from '../upkeep/upgrade.ts';
import { unservedFinding } from '../upkeep/upgrade-forecast.ts';

export const diagnoseParts = async (place: Place): Promise<readonly Finding[]> => {
  const machine = await diagnose(place.home);
  const engineAnswers = machine.some(({ part, ok }) => part === 'Temporal' && ok);
  return [...machine, ...(await ofNamespace(place, engineAnswers)), ofModel(place), ...(await ofNotices(place))];
};

const withStore = async <T>(place: Place, work: (store: Store) => Promise<T>): Promise<T> => {
  const store = await openStore(place, soonMs());
  try {
    return await work(store);
  } finally {
    await store.close();
  }
};

/** Finds nothing of a part that is away, because that is a finding of its own. */
const ofNamespace = async (place: Place, engineAnswers: boolean): Promise<readonly Finding[]> => {
  let runs: readonly Finding[] = [];
  try {
    return await withStore(place, async (store) => {
      runs = [runsFinding(await store.listRuns())];
      if (!engineAnswers) return runs;
      const engine = await openEngine(place, soonMs());
      try {
        const found = await allOf({
          namespace: async () => [ofOwner(await namespaceRefusal(place, engine, store))],
          'search attributes': async () => ofAttributes(await attributeProblem(engine.connection, engine.namespace)),
          rates: async () => (await queueRates(engine, await store.neededQueues())).flatMap(ofRate),
          versions: async () => (await unservedVersions(place, engine)).map(ofVersion),
        });
        return [...found, ...runs];
      } finally {
        await engine.close();
      }
    });
  } catch (error) {
    return (error as Error).cause instanceof SchemaError ? [ofSchema(error as Error)] : runs;
  }
};

type Questions = { readonly [part: string]: () => Promise<readonly Finding[]> };

/** What cannot be found out is told, and hides nothing else. */
export const allOf = async (questions: Questions): Promise<readonly Finding[]> =>
  (
    await Promise.all(
      Object.entries(questions).map(([part, ask]) =>
        ask().catch((error: unknown): readonly Finding[] => [unasked(part, error as Error)]),
      ),
    )
  ).flat();

const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;

/** A key that may not ask, or a server that does not know the question, works all the same. */
const unasked = (part: string, error: Error & { readonly code?: unknown }): Finding => {
  const detail = `could not be found out: ${error.message}`;
  return error.code === PERMISSION_DENIED || error.code === UNIMPLEMENTED
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

const ofNotices = async (place: Place): Promise<readonly Finding[]> => {
  try {
    return [{ part: 'notices', ...(await noticesState(place, (work) => withStore(place, work))) }];
  } catch {
    return [];
  }
};
