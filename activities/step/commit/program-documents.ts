// The programs of a step as they are stored: each candidate with its outcome, score and reward.
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { changeLabel } from '../../../evolution/deltas/delta.ts';
import { asFit, rankingScore } from '../../../evolution/scoring/ranking.ts';
import { reward } from '../../../evolution/scoring/reward.ts';
import { bornSeq, groupOf } from '../../../evolution/schedule/slots.ts';
import type { Direction, ProgramId } from '../../../evolution/types.ts';
import { missing } from '../../run/step-summary.ts';
import type { RunDocument } from '../../store/documents/documents.ts';
import type {
  CallDocument,
  DeltaDocument,
  EmbeddingDocument,
  EvaluationDocument,
  ProgramDocument,
  PromptDocument,
  RolloutDocument,
  StagesMade,
} from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';
import { evaluationKey } from '../evaluate/evaluate.ts';
import { measuredValues } from './measured.ts';
import { changeWith, type Repaired } from './missing-delta.ts';

/** Everything that a step made, read back from the store. */
export type Made = {
  /** `mended` is as in ProgramDocument. */
  readonly deltas: readonly (DeltaDocument & Pick<ProgramDocument, 'mended'>)[];
  readonly rollouts: readonly RolloutDocument[];
  readonly evaluations: ReadonlyMap<string, EvaluationDocument>;
  /** The embedding that counts for each delta; empty without an embedding model. */
  readonly embeddings: ReadonlyMap<ProgramId, EmbeddingDocument>;
  /** The embeddings that were asked for and paid. */
  readonly embedded: readonly EmbeddingDocument[];
  /** The island of each delta, in the order of `deltas`. */
  readonly islands: readonly number[];
  readonly seedPrograms: ReadonlySet<ProgramId>;
  readonly prompts: ReadonlyMap<number, PromptDocument>;
  /**
   * The results of the stages before the programs, by group. `calls` are the calls of the step beside its responses.
   */
  readonly stagesOf: ReadonlyMap<number, StagesMade>;
  readonly calls: readonly CallDocument[];
  /** The results of the calls for deltas that were left out. */
  readonly repairs: ReadonlyMap<ProgramId, Repaired>;
  readonly parentScores: ReadonlyMap<ProgramId, number | null>;
  /** The fitness of the same parents; null for those that are not valid. */
  readonly parentFits: ReadonlyMap<ProgramId, number | null>;
};

/** `run` has the settings that the step uses. */
type ProgramsOf = {
  readonly store: Store;
  readonly made: Made;
  readonly run: RunDocument;
  readonly direction: Direction;
  readonly epoch: number;
  readonly generation: number;
};

export const isEvaluated = ({ _id, outcome }: DeltaDocument, embeddings: Made['embeddings']): boolean =>
  outcome === null && embeddings.get(_id)?.duplicate !== true;

/** In slot order. */
export const programDocuments = async ({
  store,
  made,
  run,
  direction,
  epoch,
  generation,
}: ProgramsOf): Promise<readonly ProgramDocument[]> => {
  const { config } = run;
  const firstWith = new Map<string, ProgramId>();
  const programs = made.deltas.map((delta, index): ProgramDocument => {
    const key = isEvaluated(delta, made.embeddings) ? evaluationKey(delta, run) : null;
    const evaluation = key === null ? null : made.evaluations.get(key);
    if (evaluation === undefined) throw missing(`evaluation ${key}`);
    const place = key === null ? null : placeOf(key, made.islands[index]!, config);
    const sameAs = place === null ? undefined : firstWith.get(place);
    if (place !== null && sameAs === undefined) firstWith.set(place, delta._id);
    const early = earlyEnd(delta, made.embeddings.get(delta._id));
    const outcome = evaluation?.outcome ?? early.outcome;
    const ranked = outcome === 'valid' && evaluation ? rankingScore(evaluation, config.evaluation.scoring) : null;
    const fit = ranked === null ? null : asFit(ranked, direction);
    const founder = made.seedPrograms.has(delta._id);
    const change = changeWith(delta, made.repairs);
    const group = delta.island === undefined ? groupOf(delta.slot, config.responses) : null;
    const stages = group === null ? undefined : made.stagesOf.get(group);
    const prompt = group === null ? undefined : (stages?.prompt ?? asPlanned(made.prompts.get(group)));
    return {
      _id: delta._id,
      run: run.run,
      step: delta.step,
      epoch,
      slot: delta.slot,
      generation,
      bornSeq: bornSeq(delta.step, delta.slot),
      parents: delta.parent === null || founder ? [] : [delta.parent],
      island: made.islands[index]!,
      outcome,
      reasons: evaluation?.reasons ?? early.reasons,
      score: evaluation?.score ?? null,
      strictScore: evaluation?.strictScore ?? null,
      ...(fit === null ? {} : { fit }),
      reward: reward({
        outcome,
        score: ranked,
        parentScore: (delta.parent === null ? null : made.parentScores.get(delta.parent)) ?? null,
        direction,
        settings: config.reward,
      }),
      code: delta.code,
      normHash: delta.normHash,
      length: delta.length,
      evaluation: key,
      ...(delta.mended === undefined ? {} : { mended: delta.mended }),
      ...(sameAs === undefined ? {} : { sameAs }),
      ...(founder ? { founder } : {}),
      ...(delta.rescored === undefined ? {} : { rescored: delta.rescored }),
      ...(stages?.idea === undefined ? {} : { idea: stages.idea }),
      ...(stages?.notes === undefined ? {} : { notes: stages.notes }),
      ...(prompt === undefined ? {} : { prompt }),
      ...(change === undefined || delta.parent === null || founder
        ? {}
        : { change: { ...change, label: changeLabel({ fit, parentFit: made.parentFits.get(delta.parent) ?? null }) } }),
      ...(delta.lines === undefined
        ? {}
        : { lines: { added: delta.lines.added, reintroduced: delta.lines.reintroduced } }),
      ...editsOf(delta),
    };
  });
  return withValues({ store, made, run }, programs);
};

/**
 * The scope within which a second program with this code counts as a repetition: the whole step, or, where a child need
 * not differ from all of the run, its island.
 */
const placeOf = (key: string, island: number, { diff }: Pick<RunConfig, 'diff'>): string =>
  diff.lazyScope === 'history' ? key : `${island} ${key}`;

/** The prompt of a group that no model edited. */
const asPlanned = (plan: PromptDocument | undefined): ProgramDocument['prompt'] =>
  plan?.prompt === undefined ? undefined : { ...plan.prompt, parent: null, isNew: false };

/**
 * Edits that did not apply, for programs that passed the early checks. A program that failed them has the reason in its
 * outcome.
 */
const editsOf = ({ outcome, unmatched, ambiguous = [] }: DeltaDocument): Pick<ProgramDocument, 'edits'> =>
  outcome !== null || unmatched.length + ambiguous.length === 0
    ? {}
    : { edits: [...unmatched, ...ambiguous].sort((a, b) => a.block - b.block) };

/** The outcome of a delta that is not evaluated. */
const earlyEnd = (
  delta: DeltaDocument,
  embedding: EmbeddingDocument | undefined,
): Pick<ProgramDocument, 'outcome' | 'reasons'> => {
  if (delta.outcome !== null) return { outcome: delta.outcome, reasons: delta.reason === null ? [] : [delta.reason] };
  if (!embedding?.duplicate) return { outcome: 'no_solution', reasons: [] };
  const { nearest } = embedding;
  return {
    outcome: 'duplicate',
    reasons: nearest === null ? [] : [`similar (cosine ${nearest.similarity.toFixed(4)}) to ${nearest.program}`],
  };
};

/** Adds the measured features of valid programs, where the archive asks for any. */
const withValues = async (
  { store, made, run }: Pick<ProgramsOf, 'store' | 'made' | 'run'>,
  programs: readonly ProgramDocument[],
): Promise<readonly ProgramDocument[]> => {
  const measured = await measuredValues(
    store,
    run.config,
    run.population.references ?? [],
    programs.flatMap(({ _id, code, outcome, evaluation }) =>
      outcome === 'valid' && evaluation !== null
        ? [
            {
              id: _id,
              code,
              evaluation: made.evaluations.get(evaluation)!,
              distance: made.embeddings.get(_id)?.distance ?? null,
            },
          ]
        : [],
    ),
  );
  return measured.size === 0
    ? programs
    : programs.map((program) => {
        const values = measured.get(program._id);
        return values === undefined ? program : { ...program, values };
      });
};
