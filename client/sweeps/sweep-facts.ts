// A sweep's facts, every two seconds, until it ends. Parts that are away are waited for.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SweepProgress } from '../../workflows/messages/messages.ts';
import { isRunStatus } from '../../evolution/run-states.ts';
import { type Engine, openParts, type Parts, type Place } from '../connect/connection.ts';
import { wordOfExecution } from '../temporal/run-state.ts';
import { query } from '../temporal/workflow.ts';
import { hasSweepEnded, sweepReport, type SweepReport } from '../read/sweep-report.ts';
import { openSweepWorkflow } from './sweep-start.ts';

export type SweepFacts = {
  readonly report: SweepReport | null;
  /** The workflow's own word; null where no worker answered. */
  readonly live: SweepProgress | null;
  /** Id of its open workflow. Null where it is closed, or where the engine could not be asked. */
  readonly workflowId: string | null;
  readonly open: boolean;
  /** The part that cannot be reached at the moment. Null when all is well. */
  readonly waitingFor: string | null;
};

export type SweepEnding =
  | { readonly kind: 'ended'; readonly report: SweepReport }
  | { readonly kind: 'interrupted' }
  /** The workflow is closed and the sweep's document does not say that it ended. */
  | { readonly kind: 'lost' };

const POLL_MS = 2_000;
const LOST_AFTER = 4;
const ANSWER_MS = 5_000;

/** Yields the facts; returns the end of the sweep. */
export async function* untilSweepEnded(
  place: Place,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<SweepFacts, SweepEnding> {
  let parts = openParts(place);
  try {
    for (let lost = 0; ;) {
      const facts = await factsOf(parts, name);
      if (facts.waitingFor !== null) {
        await parts.close().catch(() => undefined);
        parts = openParts(place);
      }
      if (signal.aborted) return { kind: 'interrupted' };
      yield facts;
      const { report, open, waitingFor } = facts;
      const ended = report !== null && hasSweepEnded(report);
      if (ended && !open && waitingFor === null) return { kind: 'ended', report };
      lost = !open && waitingFor === null ? lost + 1 : 0;
      if (lost >= LOST_AFTER) return { kind: 'lost' };
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await parts.close().catch(() => undefined);
  }
}

/**
 * Reports with the words of the sweeps' open workflows: documents know neither pauses nor stops of a sweep that go on.
 * Where the engine is away, reports are used as they are.
 */
export const sweepsAsTheyStand = async (
  parts: Pick<Parts, 'engineSoon'>,
  reports: readonly SweepReport[],
): Promise<readonly SweepReport[]> => {
  // One that has ended is asked about only by itself: in a list of all, being opened again shows a moment later.
  const open = reports.filter((report) => reports.length === 1 || !hasSweepEnded(report));
  if (open.length === 0) return reports;
  try {
    const engine = await parts.engineSoon();
    return await Promise.all(
      reports.map(async (report) => (open.includes(report) ? asItStands(engine, report) : report)),
    );
  } catch {
    return reports;
  }
};

const asItStands = async (engine: Engine, report: SweepReport): Promise<SweepReport> => {
  const { client, connection } = engine;
  const word = await connection.withDeadline(Date.now() + ANSWER_MS, async () => {
    const id = await openSweepWorkflow(engine, report.sweep);
    return id === null ? null : wordOfExecution(await client.workflow.getHandle(id).describe());
  });
  if (word === null || !isRunStatus(word.status) || hasSweepEnded({ status: word.status })) return report;
  return { ...report, status: word.status, stopReason: null, endedAt: null };
};

const factsOf = async (parts: Parts, name: string): Promise<SweepFacts> => {
  let report: SweepReport | null = null;
  try {
    const store = await parts.store();
    const sweep = await store.readSweep(name);
    report = sweep === null ? null : await sweepReport(store, sweep);
  } catch {
    return { report, live: null, workflowId: null, open: true, waitingFor: 'the database' };
  }
  try {
    const engine = await parts.engine();
    const id = await openSweepWorkflow(engine, name);
    const live = id === null ? null : await askProgress(engine, id);
    return { report, live, workflowId: id, open: id !== null, waitingFor: null };
  } catch {
    return { report, live: null, workflowId: null, open: true, waitingFor: 'the workflow engine' };
  }
};

/** Null where no worker answers. */
export const askProgress = (engine: Engine, id: string): Promise<SweepProgress | null> =>
  query<SweepProgress>(engine, id, 'progress', ANSWER_MS).catch(() => null);
