// The place of a step's prompts: the run and step in whose name they were written, and the groups of the step.
import type { RunDocument, StepDocument } from '../../../activities/store/documents/documents.ts';
import { plannedGroups } from '../../../activities/store/documents/step-ids.ts';
import type { PromptDocument } from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { promptId } from '../../../evolution/ids.ts';
import { range } from '../../../evolution/schedule/slots.ts';
import { STREAM_START } from '../../../evolution/schedule/stream.ts';
import type { RunId } from '../../../evolution/types.ts';

type Place = {
  readonly run: RunId;
  readonly step: number;
  /** The step in whose name its ids are. In a stream (evolution/schedule/stream.ts) that is the first step of it. */
  readonly named: number;
  readonly epoch: number;
  /** In a stream, the groups of the step, or those that are planned. Left out means all that the settings name. */
  readonly groups?: readonly number[];
};

export const numbersOf = (groups: readonly number[]): string => {
  const last = groups.length - 1;
  const whole = groups.every((group, index) => group === groups[0]! + index);
  return whole && last > 0 ? `${groups[0]} to ${groups[last]}` : groups.join(', ');
};

/** The open step where its prompts are written, else the last committed step. */
export const newestPlanned = async (store: Store, document: RunDocument): Promise<Place> => {
  const open = await placeOf(store, document, document.committedStep + 1);
  if (document.committedStep < 1 || (await firstPlanned(store, document, open)) !== undefined)
    return { ...open, step: Math.max(1, open.step), named: Math.max(1, open.named) };
  return placeOf(store, document, document.committedStep);
};

export const groupsOf = ({
  batch,
  population,
}: Pick<RunDocument['config'], 'batch' | 'population'>): readonly number[] =>
  range(0, Math.max(batch, population.islands));

/** The first group that is planned. Where islands do not wait for each other, some are a step ahead of others. */
export const firstPlanned = async (
  store: Store,
  { config }: RunDocument,
  { run, named, epoch, groups = groupsOf(config) }: Place,
): Promise<PromptDocument | undefined> => {
  const ids = groups.map((group) => promptId(run, named, epoch, group));
  return [...(await store.getPrompts(ids)).values()].sort((a, b) => a.group - b.group)[0];
};

/** The run and the epoch under which a committed step was made, or the next one is. */
export const placeOf = async (store: Store, { run, committedStep }: RunDocument, step: number): Promise<Place> => {
  const marker = step > committedStep + 1 ? null : await markerOf(store, run, Math.min(step, committedStep));
  const stream = marker?.stream;
  if (marker !== null && step <= committedStep) {
    const named = stream?.first ?? step;
    return { run: marker.run, step, named, epoch: marker.epoch, ...(stream && { groups: stream.groups }) };
  }
  const epoch = await store.epochOf(run, step);
  if (stream === undefined || marker?.run !== run || marker.epoch !== epoch) return { run, step, named: step, epoch };
  // A new stream drops the uncommitted plans of the one before.
  for (const [named, place] of [[step, STREAM_START] as const, [stream.first, stream] as const]) {
    const planned = [...(await plannedGroups(store, { run, step: named, epoch }, place)).values()];
    if (planned.length > 0) return { run, step, named, epoch, groups: planned.map(({ group }) => group) };
  }
  return { run, step, named: step, epoch };
};

const markerOf = async (store: Store, run: RunId, step: number): Promise<StepDocument | null> => {
  for await (const marker of store.eachStep(run, Math.max(0, step))) return marker.step === step ? marker : null;
  return null;
};

export const promptAt = async (
  store: Store,
  { run, named, epoch, group }: Pick<Place, 'run' | 'named' | 'epoch'> & { readonly group: number },
): Promise<PromptDocument | undefined> =>
  (await store.getPrompts([promptId(run, named, epoch, group)])).values().next().value;

export const notPlanned = async (store: Store, document: RunDocument, step: number): Promise<string> => {
  if (step === 0) return `step 0 of run ${document.run} asks no model for programs: its program is the task's own`;
  const newest = await newestPlanned(store, document);
  const has =
    (await promptAt(store, { ...newest, group: newest.groups?.[0] ?? 0 })) === undefined
      ? 'it has planned none so far'
      : `the newest is step ${newest.step}`;
  return `step ${step} of run ${document.run} is not planned yet: its prompts are written when it begins; ${has}`;
};
