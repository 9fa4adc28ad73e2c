// What the population bench takes for the work of models and sandboxes: programs of about 4 KB, no two alike, their
// scores, and the documents that a step needs beside its prompts.
import { sha256 } from '../../../activities/sha256.ts';
import { evaluationKey } from '../../../activities/step/evaluate/evaluate.ts';
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import type {
  DeltaDocument,
  EvaluationDocument,
  ProgramDocument,
  PromptDocument,
  RolloutDocument,
} from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { lineHash } from '../../../evolution/edits/reintroduced.ts';
import { programId, promptId } from '../../../evolution/ids.ts';
import { rng } from '../../../evolution/rng.ts';
import type { ProgramId } from '../../../evolution/types.ts';

const CODE_CHARS = { least: 3_000, most: 5_000 } as const;
/** What scores approach and never reach. */
const CEILING = 2.64;
/** Of so many answers one is what its neighbour said, and one what its parent is, where repeats are wanted. */
const ONE_IN = 64;

/** Python of 3,000 to 5,000 characters that no other place has. */
export const codeOf = (run: string, step: number, slot: number): string => {
  const random = rng(run, 'code', step, slot);
  const chars = CODE_CHARS.least + random.int(CODE_CHARS.most - CODE_CHARS.least);
  const lines = ['import math', '', '', 'def construct_packing(n):', '    circles = []'];
  for (let size = 0, line = 0; size < chars; line += 1) {
    const text = `    x${line} = ${random.next().toFixed(6)} * math.cos(${random.next().toFixed(6)} * len(circles)) + ${random.int(1_000)} / n`;
    lines.push(text);
    size += text.length + 1;
  }
  return [...lines, '    return circles', ''].join('\n');
};

const answerOf = (run: string, step: number, slot: number): string => {
  const { next } = rng(run, 'answer', step, slot);
  return `The radii can still grow near the border.\n<<<<<<< SEARCH\n    circles = []\n=======\n    circles = [${next()}, ${next()}]\n>>>>>>> REPLACE\n`;
};

/** Mostly a little worse than the parent, sometimes better: improvements become smaller towards the ceiling. */
const scoreOf = (run: string, step: number, slot: number, parent: number): number => {
  const { next } = rng(run, 'score', step, slot);
  return parent + (CEILING - parent) * (0.2 * (next() + next() + next() - 1.5) - 0.04);
};

export type Writers = {
  /** The store of the process that plans and commits: it stores responses and edits too. */
  readonly store: Store;
  /** The sandbox worker's: what it stores, the commit has to read. */
  readonly sandbox: Store;
};
export type StepPlace = {
  readonly document: RunDocument;
  readonly step: number;
  readonly epoch: number;
  readonly groups: number;
  readonly responses: number;
};

/**
 * Stores responses, edits and evaluations of a planned step, all valid. `repeats`: some say again what is known.
 * Returns the seconds that looking their hashes up took: the one part of a step that meets everything remembered and
 * is neither sampling nor commit.
 */
export const storeChildren = async (
  { store, sandbox }: Writers,
  place: StepPlace,
  repeats: boolean,
): Promise<number> => {
  const {
    document: { run, evaluatorDigest, config },
    step,
    epoch,
    groups,
    responses,
  } = place;
  const prompts = await required(
    store.getPrompts(Array.from({ length: groups }, (_, group) => promptId(run, step, epoch, group))),
    groups,
  );
  const parents = await store.getPrograms([...new Set(prompts.map(({ parent }) => parent))]);
  const slots = Array.from({ length: groups * responses }, (_, slot) => {
    const parent = parents.get(prompts[Math.floor(slot / responses)]!.parent)!;
    const repeated = repeats ? slot % ONE_IN : 0;
    return {
      slot,
      parent,
      code: repeated === 1 ? codeOf(run, step, slot - 1) : repeated === 2 ? null : codeOf(run, step, slot),
    };
  });
  const answers = await store.putTexts(slots.map(({ slot }) => answerOf(run, step, slot)));
  await store.putRollouts(
    slots.map(({ slot }): RolloutDocument => ({
      _id: programId(run, step, epoch, slot),
      run,
      step,
      epoch,
      group: Math.floor(slot / responses),
      slot,
      response: answers[slot]!,
      reasoning: null,
      model: config.model.name,
      finishReason: 'stop',
      usage: { in: 6_000, out: 600 },
      costUsd: 0.001,
    })),
  );

  // The text is its own normal form: what is measured does not depend on who made it.
  const hashes = slots.map(({ parent, code }) => (code === null ? parent.normHash! : sha256(code)));
  const began = performance.now();
  const known = await store.knownHashes(run, hashes, step);
  const lookupSeconds = (performance.now() - began) / 1000;
  const codes = await store.putTexts(slots.flatMap(({ code }) => code ?? []));
  let next = 0;
  const deltas = slots.map(({ slot, parent, code }): DeltaDocument => {
    const duplicateOf: ProgramId | null = known.get(hashes[slot]!) ?? null;
    return {
      _id: programId(run, step, epoch, slot),
      run,
      step,
      slot,
      parent: parent._id,
      outcome: duplicateOf === null ? null : 'duplicate',
      reason: duplicateOf === null ? null : `equivalent to ${duplicateOf}`,
      code: code === null ? parent.code : codes[next++]!,
      normHash: hashes[slot]!,
      length: code?.length ?? parent.length,
      blocks: 1,
      unmatched: [],
      duplicateOf,
      ...(duplicateOf === null
        ? {
            lines: {
              added: 3,
              reintroduced: 0,
              deleted: [lineHash(`${slot} ${step}`), lineHash(`${step} ${slot}`)],
              returned: [],
            },
          }
        : {}),
    };
  });
  await store.putDeltas(deltas);
  await sandbox.putEvaluations(
    distinct(deltas).map((delta): EvaluationDocument => {
      const score = scoreOf(run, step, delta.slot, slots[delta.slot]!.parent.score!);
      return evaluationOf({ run, evaluatorDigest, config }, delta, score);
    }),
  );
  return lookupSeconds;
};

/** The evaluation of the initial program. */
export const storeInitial = async (
  { sandbox }: Writers,
  document: RunDocument,
  delta: DeltaDocument,
): Promise<void> => {
  await sandbox.putEvaluations([evaluationOf(document, delta, 2)]);
};

const distinct = (deltas: readonly DeltaDocument[]): readonly DeltaDocument[] => [
  ...new Map(
    deltas
      .filter(({ outcome }) => outcome === null)
      .toReversed()
      .map((delta) => [delta.normHash, delta]),
  ).values(),
];

const evaluationOf = (
  run: Pick<RunDocument, 'run' | 'evaluatorDigest' | 'config'>,
  delta: DeltaDocument,
  score: number,
): EvaluationDocument => ({
  _id: evaluationKey(delta, run),
  run: run.run,
  code: delta.code!,
  outcome: 'valid',
  execution: 'ok',
  score,
  strictScore: score,
  metrics: { sum_radii: score, circles: 26 },
  reasons: [],
  solution: null,
  exitCode: 0,
  cpuMs: 900,
  wallMs: 1_000,
  peakBytes: 80e6,
  stdoutTail: '',
  stderrTail: '',
  isolation: 'fake',
  imageId: 'none',
});

const required = async (
  found: Promise<ReadonlyMap<string, PromptDocument>>,
  count: number,
): Promise<readonly PromptDocument[]> => {
  const prompts = [...(await found).values()].sort((a, b) => a.group - b.group);
  if (prompts.length !== count) throw new Error(`expected ${count} prompts of a planned step, found ${prompts.length}`);
  return prompts;
};

/** Distinct hashes among these programs, as a share. */
export const uniqueShareOf = (programs: Iterable<Pick<ProgramDocument, 'normHash'>>): number => {
  const hashes = [...programs].map(({ normHash }) => normHash);
  return new Set(hashes).size / hashes.length;
};
