// Checks of what one step stored, for a rebuild: its programs are there and agree with their evaluations, responses and
// measured features.
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { programId } from '../../evolution/ids.ts';
import { asFit, rankingScore } from '../../evolution/scoring/ranking.ts';
import { bornSeq } from '../../evolution/schedule/slots.ts';
import type { Direction, ProgramId } from '../../evolution/types.ts';
import { measuredValues } from '../step/commit/measured.ts';
import { isRefused } from '../store/content/calls.ts';
import type {
  EmbeddingDocument,
  EvaluationDocument,
  ProgramDocument,
  RolloutDocument,
} from '../store/documents/step-documents.ts';
import type { Store } from '../store/store.ts';
import type { CommittedStep } from '../store/steps/read-steps.ts';
import type { Differences } from './differences.ts';

/** The programs that the step names. Each must be there once, in the place that its id says. */
export const programsOf = async (
  store: Store,
  ids: Set<ProgramId>,
  { step: marker, programs }: CommittedStep,
  differences: Differences,
): Promise<readonly ProgramDocument[]> => {
  const { run, step, epoch, stream } = marker;
  const stored = await store.getPrograms(programs);
  return programs.flatMap((id, index) => {
    const program = stored.get(id);
    differences.compare(
      step,
      `program ${id}`,
      'there once',
      program === undefined ? 'missing' : ids.has(id) ? 'there twice' : 'there once',
    );
    ids.add(id);
    if (program === undefined) return [];
    const { slot, named = step } = program;
    // In a stream programs are born in the order in which they were finished, which the marker says.
    const born = bornSeq(step, stream === undefined ? slot : index);
    const place = { _id: programId(run, named, epoch, slot), run, step, epoch, bornSeq: born };
    differences.compare(step, `place of program ${id}`, place, {
      _id: id,
      run: program.run,
      step: program.step,
      epoch: program.epoch,
      bornSeq: program.bornSeq,
    });
    return [program];
  });
};

export const checkEvaluations = async (
  store: Store,
  programs: readonly ProgramDocument[],
  config: RunConfig,
  direction: Direction | null,
  differences: Differences,
): Promise<ReadonlyMap<string, EvaluationDocument>> => {
  const evaluations = await store.getEvaluations([...new Set(programs.flatMap(({ evaluation }) => evaluation ?? []))]);
  for (const { _id, step, evaluation: key, outcome, score, strictScore, fit } of programs) {
    const evaluation = key === null ? null : evaluations.get(key);
    if (evaluation === undefined) differences.compare(step, `evaluation of program ${_id}`, key, null);
    else if (evaluation === null)
      differences.compare(
        step,
        `program ${_id}, never evaluated`,
        { valid: false, score: null },
        { valid: outcome === 'valid', score },
      );
    else {
      const result = { outcome: evaluation.outcome, score: evaluation.score, strictScore: evaluation.strictScore };
      differences.compare(step, `evaluation of program ${_id}`, result, { outcome, score, strictScore });
      const ranked = evaluation.outcome !== 'valid' ? null : rankingScore(evaluation, config.evaluation.scoring);
      const magnitude = (value: number | null): number | null =>
        value === null || direction !== null ? value : Math.abs(value);
      differences.compare(
        step,
        `fitness of program ${_id}`,
        magnitude(ranked === null ? null : asFit(ranked, direction ?? 'maximise')),
        magnitude(fit ?? null),
      );
    }
  }
  return evaluations;
};

/** Every program has a response, except injected ones and those whose group ended before programs were asked for. */
export const rolloutsOf = async (
  store: Store,
  programs: readonly ProgramDocument[],
  differences: Differences,
): Promise<readonly RolloutDocument[]> => {
  const answers = programs.filter(
    (program) => !isRefused(program) && (program.parents.length > 0 || program.founder === true),
  );
  const rollouts = await store.getRollouts(answers.map(({ _id }) => _id));
  return answers.flatMap(({ _id, step }) => {
    differences.compare(step, `response of program ${_id}`, 'there', rollouts.has(_id) ? 'there' : 'missing');
    return rollouts.get(_id) ?? [];
  });
};

type ValuesOf = {
  readonly store: Store;
  readonly config: RunConfig;
  /** The reference programs that the population's state named before the step. */
  readonly references: readonly ProgramId[];
  readonly evaluations: ReadonlyMap<string, EvaluationDocument>;
  readonly embeddings: ReadonlyMap<ProgramId, EmbeddingDocument>;
};

/** Features are measured again from stored evaluations, code and embeddings, and compared with the stored values. */
export const checkValues = async (
  { store, config, references, evaluations, embeddings }: ValuesOf,
  programs: readonly ProgramDocument[],
  differences: Differences,
): Promise<void> => {
  const measured = await measuredValues(
    store,
    config,
    references,
    programs.flatMap(({ _id, code, outcome, evaluation: key }) => {
      const evaluation = key === null ? undefined : evaluations.get(key);
      return outcome === 'valid' && evaluation !== undefined
        ? [{ id: _id, code, evaluation, distance: embeddings.get(_id)?.distance ?? null }]
        : [];
    }),
  );
  for (const { _id, step, values } of programs)
    differences.compare(step, `features of program ${_id}`, measured.get(_id) ?? null, values ?? null);
};
