// The store over any collections of the portable kind: those of a database (mongo/connect-store.ts), or in tests Maps.
import { book, bookingsFor, keepBooking, owed, paidNow, settleBookings, unanswered } from './steps/bookings.ts';
import { commitStep } from './population/commit.ts';
import { embeddingsIn } from './content/embeddings.ts';
import { openStep, resample } from './steps/fence.ts';
import { createFork } from './steps/fork.ts';
import { databaseIdentity } from './documents/identity.ts';
import { everyDocument } from './exchange/every-document.ts';
import { gathered, immutableIn } from './content/immutable.ts';
import { importRuns } from './exchange/import-runs.ts';
import { installationStore } from './upkeep/installation.ts';
import { inject, injectedSteps, takeInjections } from './steps/injections.ts';
import { epochAt } from './steps/paid.ts';
import { commitPolicy, listPolicies, policyChain, settleStep } from './learning/policies.ts';
import { ProgramMemory } from './population/program-memory.ts';
import { PopulationCache } from './population/population-cache.ts';
import {
  committedAt,
  eachCommitted,
  eachProgram,
  eachStep,
  eachStepPrograms,
  knownHashes,
  readStep,
  supersededSteps,
} from './steps/programs.ts';
import { noticesStore } from './upkeep/notices.ts';
import { ratesIn } from './upkeep/rates.ts';
import {
  configsIn,
  createRun,
  findRun,
  listRuns,
  openQueues,
  requireRun,
  runStates,
  setConfig,
  setIsolation,
  setQueue,
  setResults,
  setStatus,
} from './documents/run-documents.ts';
import { eachSample, getSamples, putSamples } from './learning/samples.ts';
import { pruningIn } from './upkeep/prune.ts';
import { withSchemas } from './documents/schema.ts';
import type { Store } from './store.ts';
import type { Collections, StoredStep } from './documents/stored.ts';
import { listSweeps, putSweep, readSweep, setSweep, sweepStates } from './documents/sweeps.ts';
import { payloadKeysIn } from './upkeep/payload-keys.ts';
import { textsIn } from './content/texts.ts';
import { moveUpdate, putBatch, putUpdate, readBatch, updateKey } from './learning/updates.ts';

/**
 * What a store remembers of what it read: documents of each kind, bytes of texts and of embeddings, runs whose population
 * is at hand.
 */
export type Keeps = {
  readonly documents: number;
  /** Of which programs are shown again and again, from all over the population. */
  readonly programs: number;
  readonly textBytes: number;
  readonly embeddingBytes: number;
  readonly populations: number;
};
/** For the steps of runs. */
const MUCH: Keeps = { documents: 2048, programs: 8192, textBytes: 32e6, embeddingBytes: 32e6, populations: 8 };
/** For a process that only shows runs, seldom the same thing twice, and is to stay small. */
export const LITTLE: Keeps = { documents: 128, programs: 128, textBytes: 1e6, embeddingBytes: 1e6, populations: 2 };

/** `now` is the time of this host, in milliseconds since the epoch. */
export const storeOver = (
  given: Collections,
  close: () => Promise<void> = async () => {},
  now: () => number = Date.now,
  keeps: Keeps = MUCH,
): Store => {
  const collections = gathered(withSchemas(given));
  const texts = textsIn(collections.blobs, keeps.textBytes, now);
  const cache = new PopulationCache(collections, texts, keeps.populations);
  const memory = new ProgramMemory(collections, keeps.programs);
  const unmarked: StoredStep[] = [];
  const readConfig = configsIn(collections);
  const prompts = immutableIn(collections.prompts, keeps.documents);
  const rollouts = immutableIn(collections.rollouts, keeps.documents);
  const deltas = immutableIn(collections.deltas, keeps.documents);
  const requests = immutableIn(collections.requests, keeps.documents);
  const calls = immutableIn(collections.calls, keeps.documents);
  const embeddings = embeddingsIn(collections.embeddings, keeps.embeddingBytes);
  const evaluations = immutableIn(collections.evaluations, keeps.documents);
  const tasks = immutableIn(collections.tasks, keeps.documents);
  const policies = immutableIn(collections.policies, keeps.documents);
  const installation = installationStore(collections);
  const readPolicy = async (id: string) => (await policies.get([id])).get(id) ?? null;
  return {
    identity: () => databaseIdentity(collections.identity),
    ...installation,
    ...ratesIn(collections.rates),
    ...noticesStore(collections),
    ...payloadKeysIn(collections.identity),

    putTexts: (bodies) => texts.put(bodies),
    getTexts: (refs) => texts.get(refs),

    putTask: async (task) => (await tasks.put([task]))[0]!,
    readTask: async (digest) => (await tasks.get([digest])).get(digest) ?? null,

    createRun: (run) => createRun(collections, run),
    readRun: (run) => findRun(collections, run),
    listRuns: () => listRuns(collections),
    runStates: () => runStates(collections),
    setStatus: (run, status, detail) => setStatus(collections, run, status, detail),
    setConfig: (run, config, fromVersion, by) => setConfig(collections, run, config, fromVersion, by),
    readConfig,
    setIsolation: (run, isolation) => setIsolation(collections, run, isolation),
    setQueue: (run, queue) => setQueue(collections, run, queue),
    openQueues: async () => openQueues(collections, await installation.neededQueues()),
    setResults: (run, results) => setResults(collections, run, results),
    createFork: (fork) => createFork(collections, fork),

    putSweep: (sweep) => putSweep(collections, sweep),
    readSweep: (name) => readSweep(collections, name),
    listSweeps: () => listSweeps(collections),
    sweepStates: () => sweepStates(collections),
    setSweep: (name, fields) => setSweep(collections, name, fields),

    openStep: (run, step, owner) => openStep(collections, readConfig, run, step, owner),
    readStep: (run, step, generation) => readStep(collections, run, step, generation),
    committedAt: (run, step) => committedAt({ collections, cache }, run, step),
    eachStep: (run, from = 0) => eachStep({ collections, cache }, run, from),
    eachStepPrograms: (run, from = 0) => eachStepPrograms(collections, run, from),
    eachCommitted: (run, from = 0) => eachCommitted(collections, texts, run, from),
    supersededSteps: (run) => supersededSteps(collections, run),
    async epochOf(run, step) {
      return epochAt((await requireRun(collections, run)).epochs, step);
    },
    resample: (run, step, by, task) => resample(collections, readConfig, { run, step, by, task }),

    inject: (injection) => inject(collections, injection),
    takeInjections: (run, step) => takeInjections(collections, run, step),
    injectedSteps: (run) => injectedSteps(collections, run),

    putPrompts: (documents) => prompts.put(documents),
    getPrompts: (ids) => prompts.get(ids),
    putRollouts: (documents) => rollouts.put(documents),
    getRollouts: (ids) => rollouts.get(ids),
    putDeltas: (documents) => deltas.put(documents),
    getDeltas: (ids) => deltas.get(ids),
    putRequests: (documents) => requests.put(documents),
    getRequests: (ids) => requests.get(ids),
    putCalls: (documents) => calls.put(documents),
    getCalls: (ids) => calls.get(ids),
    putEmbeddings: (documents) => embeddings.put(documents),
    getEmbeddings: (ids) => embeddings.get(ids),
    putEvaluations: (documents) => evaluations.put(documents),
    getEvaluations: (ids) => evaluations.get(ids),
    knownHashes: (run, hashes, beforeStep) => knownHashes(collections, run, hashes, beforeStep),

    putSamples: (samples) => putSamples({ collections, texts }, samples),
    getSamples: (ids) => getSamples({ collections, texts }, ids),
    eachSample: (run, step) => eachSample({ collections, texts }, readConfig, run, step),
    putBatch: (run, bytes) => putBatch(collections, run, bytes),
    readBatch: (batch) => readBatch(collections, batch),
    putUpdate: (update) => putUpdate(collections, update),
    readUpdate: (run, updateId) => collections.updates.get(updateKey(run, updateId)),
    moveUpdate: (...move) => moveUpdate(collections, ...move),
    readPolicy,
    policyChain: (policy) => policyChain(readPolicy, policy),
    listPolicies: (run) => listPolicies(collections, run),
    commitPolicy: (policy, generation) => commitPolicy(collections, readPolicy, policy, generation),
    settleStep: (run, step, generation) => settleStep(collections, run, step, generation),

    book: (booking) => book(collections, booking),
    bookingsFor: (stage, answer) => bookingsFor(collections, stage, answer),
    settleBookings: (ids) => settleBookings(collections, ids),
    keepBooking: (booking) => keepBooking(collections, booking),
    unanswered: (run, now = new Date()) => unanswered(collections, run, now),
    owed: (run, now = new Date()) => owed(collections, run, now),
    paidNow: (run, now = new Date()) => paidNow(collections, readConfig, run, now),

    getPrograms: (ids, run) => memory.get(ids, run),
    eachProgram: (run, options) =>
      eachProgram({ collections, cache }, run, options?.fromStep ?? 0, (ids, read) => memory.get(ids, read)),
    population: (run) => cache.population(run),
    readPopulation: (run, read) => cache.read(run, read),
    commit: (commit) => commitStep({ collections, texts, cache, memory, unmarked }, commit),
    exportRun: (run) => everyDocument(collections, texts, run),
    pruning: pruningIn(collections, texts, () => new Date(now())),
    importRuns: (checked) => importRuns(collections, texts, checked),

    close,
  };
};
