// Small runs for store tests: documents of a step, made by arithmetic.
import { bookingId } from '../../../activities/store/steps/bookings.ts';
import type { ActionDocument, RunTotals } from '../../../activities/store/documents/documents.ts';
import type {
  BookedStage,
  BookingDocument,
  DeltaDocument,
  EvaluationDocument,
  ProgramDocument,
  PromptDocument,
  RolloutDocument,
} from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import type { Commit } from '../../../activities/store/population/commit.ts';
import type { NewRun } from '../../../activities/store/documents/documents.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { programId, promptId } from '../../../evolution/ids.ts';
import { thetaDefaults } from '../../../evolution/methods/theta.ts';
import { bornSeq } from '../../../evolution/schedule/slots.ts';
import type { ChangeSet, Membership, PopulationState, ProgramId } from '../../../evolution/types.ts';

export const ISLANDS = 3;

export const config = (): RunConfig => ({
  ...thetaDefaults,
  task: 'circle-packing-square-26',
  batch: 2,
  responses: 2,
  limits: { ...thetaDefaults.limits, steps: 10 },
  population: { ...thetaDefaults.population, archive: 100, islands: ISLANDS },
  model: { ...thetaDefaults.model, timeoutSeconds: 60 },
});

export const newRun = (run: string): NewRun => ({
  run,
  config: config(),
  taskDigest: 'task',
  evaluatorDigest: 'evaluator',
  offlineModel: true,
  createdAt: new Date(Date.UTC(2026, 10, 1)),
});

const hash = (text: string): string =>
  [...text]
    .reduce((h, c) => (h * 31 + c.charCodeAt(0)) >>> 0, 7)
    .toString(16)
    .padStart(64, '0');

export const prompt = (run: string, step: number, group: number, part = 'plateau', epoch = 0): PromptDocument => ({
  _id: promptId(run, step, epoch, group),
  run,
  step,
  epoch,
  group,
  system: hash('system'),
  user: hash(`user ${step} ${group}`),
  parent: programId(run, 0, 0, 0),
  island: group % ISLANDS,
  priorPrograms: [],
  part,
  configVersion: 1,
});

export const rollout = (run: string, step: number, slot: number, model = 'offline', epoch = 0): RolloutDocument => ({
  _id: programId(run, step, epoch, slot),
  run,
  step,
  epoch,
  group: 0,
  slot,
  response: hash(`response ${step} ${slot}`),
  reasoning: null,
  model,
  finishReason: 'stop',
  usage: { in: 100, out: 20 },
  costUsd: 0,
});

/** A request for slot `slot` of step 1, on its way from 00:00 to 00:01 on the first day. */
export const booking = (
  run: string,
  slot: number,
  { sending = 1, stage = 'program' }: { readonly sending?: number; readonly stage?: BookedStage } = {},
): BookingDocument => {
  const answer = programId(run, 1, 0, slot);
  return {
    _id: bookingId(stage, answer, sending),
    run,
    step: 1,
    epoch: 0,
    stage,
    answer,
    sending,
    by: 'execution',
    model: 'm',
    endpoint: '127.0.0.1:1',
    at: new Date(Date.UTC(2026, 10, 1)),
    until: new Date(Date.UTC(2026, 10, 1, 0, 1)),
    state: 'sent',
    usage: { in: 50, out: 0 },
    costUsd: 0.25,
    estimated: true,
    maxOut: 4_000,
    reason: null,
    response: null,
  };
};

export const delta = (run: string, step: number, slot: number): DeltaDocument => ({
  _id: programId(run, step, 0, slot),
  run,
  step,
  slot,
  parent: programId(run, 0, 0, 0),
  outcome: null,
  reason: null,
  code: hash(`code ${step} ${slot}`),
  normHash: hash(`norm ${step} ${slot}`),
  length: 1000,
  blocks: 1,
  unmatched: [{ block: 2, reason: 'not found' }],
  duplicateOf: null,
});

export const evaluation = (run: string, step: number, slot: number, wallMs = 12.5): EvaluationDocument => ({
  _id: `${run}:${hash(`code ${step} ${slot}`)}:evaluator:0`,
  run,
  code: hash(`code ${step} ${slot}`),
  outcome: 'valid',
  execution: 'ok',
  score: 1 + slot / 10,
  strictScore: null,
  metrics: { circles: 26, note: 'x', ok: true },
  reasons: [],
  solution: hash(`solution ${step} ${slot}`),
  exitCode: 0,
  cpuMs: 10,
  wallMs,
  peakBytes: 1e6,
  stdoutTail: '',
  stderrTail: '',
  isolation: 'fake',
  imageId: 'none',
});

export const program = (
  run: string,
  step: number,
  slot: number,
  generation: number,
  more: Partial<ProgramDocument> = {},
): ProgramDocument => {
  const epoch = more.epoch ?? 0;
  return {
    _id: programId(run, step, epoch, slot),
    run,
    step,
    epoch,
    slot,
    generation,
    bornSeq: bornSeq(step, slot),
    parents: step === 0 ? [] : [programId(run, 0, 0, 0)],
    island: slot % ISLANDS,
    outcome: 'valid',
    reasons: [],
    score: 1 + slot / 10,
    strictScore: null,
    fit: 1 + slot / 10,
    reward: 1,
    code: hash(`code ${step} ${slot}`),
    normHash: hash(`norm ${step} ${slot}`),
    length: 1000,
    evaluation: evaluation(run, step, slot)._id,
    ...more,
  };
};
export const normHash = (step: number, slot: number): string => hash(`norm ${step} ${slot}`);

const member = (run: string, step: number, slot: number, island: number): Membership => ({
  id: programId(run, step, 0, slot),
  fit: 1 + slot / 10 + step,
  bornSeq: bornSeq(step, slot),
  length: 1000 + slot,
  home: slot % ISLANDS,
  island,
});

export const SLOTS = 4;
/**
 * Each step adds four programs, puts the first into the archive, gives it a cell and evicts the programs of two steps
 * before. It makes a prompt, and the initial one better.
 */
export const changeSet = (
  run: string,
  step: number,
  slots = SLOTS,
  ownerOf: (step: number) => string = () => run,
): ChangeSet => {
  const evicted: ProgramId[] =
    step < 2 ? [] : Array.from({ length: slots }, (_, slot) => programId(ownerOf(step - 2), step - 2, 0, slot));
  const state: PopulationState = {
    bounds: { score: [0, step + 1], length: [1000, 1003] },
    generations: Array<number>(ISLANDS).fill(step + 1),
    lastMigration: 0,
    size: Math.min(step + 1, 2) * slots,
    best: { id: programId(run, step, 0, slots - 1), fit: 1 + (slots - 1) / 10 + step },
  };
  return {
    step,
    add: [
      ...Array.from({ length: slots }, (_, slot) => member(run, step, slot, slot % ISLANDS)),
      member(run, step, 0, -1),
    ],
    remove:
      step < 2 ? [] : [...evicted.map((id, slot) => ({ island: slot % ISLANDS, id })), { island: -1, id: evicted[0]! }],
    cells: [
      { island: 0, cell: `${step % 5},1`, program: programId(run, step, 0, 0), fit: 1 + step },
      ...(step < 2 ? [] : [{ island: 0, cell: `${(step - 2) % 5},1`, program: null, fit: 0 }]),
    ],
    evicted,
    migrated: [],
    state,
    prompts: [
      { island: 0, id: 'initial', text: hash('initial'), parent: null, bestFit: step },
      { island: step % ISLANDS, id: `${run}:${step}`, text: hash(`prompt ${step}`), parent: 'initial', bestFit: null },
    ],
  };
};

export const totals = (step: number): RunTotals => ({
  programs: step * SLOTS,
  valid: step * SLOTS,
  failures: {},
  tokens: { in: step * 400, out: step * 80 },
  costUsd: 0,
  sinceBest: 0,
});

export const commitOf = (
  run: string,
  step: number,
  generation: number,
  programs: Partial<ProgramDocument> = {},
): Commit => ({
  run,
  step,
  epoch: 0,
  generation,
  configVersion: 1,
  changeSet: changeSet(run, step),
  programs: Array.from({ length: SLOTS }, (_, slot) => program(run, step, slot, generation, programs)),
  totals: totals(step),
  best: { program: programId(run, step, 0, SLOTS - 1), score: step + 1, strictScore: null, step },
});

/** A fork's commit: what it evicts of steps up to `origin` is the other run's. */
export const forkCommitOf = (
  run: string,
  origin: { readonly run: string; readonly step: number },
  step: number,
  generation: number,
): Commit => ({
  ...commitOf(run, step, generation),
  changeSet: changeSet(run, step, SLOTS, (at) => (at <= origin.step ? origin.run : run)),
});

/** Creates the run and commits steps 0 to `lastStep`, each opened by owner `w`. */
export const grow = async (store: Store, run: string, lastStep: number): Promise<void> => {
  await store.createRun(newRun(run));
  for (let step = 0; step <= lastStep; step++)
    await store.commit(commitOf(run, step, await store.openStep(run, step, 'w')));
};

export const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

/** The action of a person who sets a mark, or removes it (null). */
export const markAction = (run: string, program: string | null, label: string | null, atMs = 5): ActionDocument => ({
  _id: `${run}:action:${atMs}:${program ?? 'run'}`,
  run,
  verb: 'mark',
  by: { name: 'mia', from: 'page' },
  at: new Date(atMs),
  state: 'done',
  text: 'has a mark now',
  marked: { program, mark: label === null ? null : { star: true, label, note: null } },
});
