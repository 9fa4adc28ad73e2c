// A fork is a run that begins with the steps of another, by reference (lineage.ts): nothing is copied.
import { drawsOf, type NewFork, type RunDocument } from '../documents/documents.ts';
import { FIRST_GENERATION, startEra } from '../documents/lineage.ts';
import { rescoringsUntil, taskAt } from '../documents/lineage.ts';
import { committedMarker } from './markers.ts';
import { learnedUntil } from './policy-head.ts';
import { beingRemoved, isGoing, newRunDocument, requireRun, requireUnused } from '../documents/run-documents.ts';
import type { Collections, StoredRun } from '../documents/stored.ts';

export const createFork = async (
  collections: Collections,
  fork: NewFork,
): Promise<{ created: boolean; run: RunDocument }> => {
  const stored = await collections.runs.get(fork.run);
  if (stored !== null) return { created: false, run: stored };
  const document = await forkDocument(collections, fork);
  const existing = await collections.runs.insertAll([document]);
  if (existing.length > 0) return { created: false, run: await requireRun(collections, fork.run) };
  await requireUnused(collections, document);
  await requireParents(collections, document);
  return { created: true, run: document };
};

/** A run that is being removed meanwhile has seen the fork, and stays, or has not: then there is no fork. */
const requireParents = async ({ runs }: Collections, { _id, lineage }: StoredRun): Promise<void> => {
  for (const run of new Set(lineage.map((era) => era.run))) {
    const parent = await runs.get(run);
    if (parent !== null && !isGoing(parent)) continue;
    await runs.deleteAll([_id]);
    throw beingRemoved(run);
  }
};

/** The fork has the other run's eras as they are now, so nothing that the other run does later changes its steps. */
const forkDocument = async (
  collections: Collections,
  { run, from, step, config, createdAt, start = null }: NewFork,
): Promise<StoredRun> => {
  const parent = await requireRun(collections, from);
  if (!Number.isInteger(step) || step < 0 || step > parent.committedStep) {
    throw new RangeError(
      `expected a step from 0 to ${parent.committedStep}, the last committed one of run '${from}', to fork from, got ${step}`,
    );
  }
  const { population, totals, best, fingerprint } = await committedMarker(collections, parent, step);
  const { taskDigest, evaluatorDigest, taskSnapshot, trust } = taskAt(parent, step) ?? parent;
  const { isolation } = parent;
  const offlineModel = config.model.kind === 'offline';
  return {
    ...newRunDocument({
      ...{ run, config, taskDigest, evaluatorDigest, taskSnapshot, trust, offlineModel, createdAt, start },
    }),
    lineage: startEra(parent.lineage, { step: step + 1, generation: FIRST_GENERATION, run }),
    committedStep: step,
    population,
    totals,
    best,
    fingerprint,
    isolation,
    epochs: parent.epochs.filter((start) => start.step <= step),
    origin: { run: from, step },
    ...rescoringsUntil(parent, step),
    draws: drawsOf(parent),
    ...(await learnedUntil((id) => collections.policies.get(id), parent, step)),
  };
};
