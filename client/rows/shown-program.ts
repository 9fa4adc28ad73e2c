// One program, and the best one of a run, as machines read them: `evolve show --json`, `evolve best --json` and their
// answers over HTTP.
import { type OnHidden, type ProgramTexts, readProgram, textsBehind } from '../../activities/results/program-texts.ts';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import { readArtifacts } from '../../activities/store/content/artifacts.ts';
import type { Store } from '../../activities/store/store.ts';
import { inventsScores } from '../../evolution/config/noop.ts';
import type { Artifact } from '../../evolution/scoring/artifacts.ts';
import type { SetMark } from '../../evolution/steering/base/people.ts';
import type { Message } from '../../evolution/types.ts';
import { UsageError } from '../connect/errors.ts';
import { type Origin, readOrigin } from '../read/program-origin.ts';
import { uncommittedProgram } from '../read/uncommitted.ts';
import { isSuperseded } from '../read/views.ts';

/** What has become of its step. */
export type State = 'committed' | 'superseded' | 'not committed';

/** With what its evaluator showed. */
export type Texts = ProgramTexts & { readonly artifacts?: readonly Artifact[] };

type Shown = {
  readonly texts: Required<Texts>;
  readonly origin: Origin;
  readonly state: State;
  readonly mark: SetMark | null;
};

/** Throws UsageError where there is no such program. */
export const shownProgram = async (store: Store, id: string): Promise<Shown> => {
  const known = await readProgram(store, id);
  const open = known === null ? await uncommittedProgram(store, id) : null;
  const texts = open === null ? known : await textsBehind(store, open);
  if (texts === null)
    throw new UsageError(
      `there is no program "${id}": \`npx evolve programs <run>\` lists them (a program appears when it has its outcome)`,
    );
  const [artifacts, origin, superseded, marks] = await Promise.all([
    readArtifacts(store, texts.evaluation?.artifacts ?? []),
    readOrigin(store, texts),
    open === null && isSuperseded(store, texts.program),
    store.programMarks(texts.program.run),
  ]);
  const state = open !== null ? 'not committed' : superseded ? 'superseded' : 'committed';
  return { texts: { ...texts, artifacts }, origin, state, mark: marks.get(id) ?? null };
};

/**
 * `messages` holds every turn of the request for the program, or none where there was no request; `calls` holds the
 * calls before it, and `stages` those of its evaluation.
 */
export const showReport = (
  { program, evaluation, hidden, code, idea, solution, artifacts = [] }: Texts,
  { delta, usage, costUsd, unanswered, parentScores, shown, stages, texts, said, limits }: Origin,
  state: State,
) => {
  const messages: readonly Message[] = stages.find(({ stage }) => stage === 'program')?.messages ?? [];
  return {
    ...program,
    idea,
    scoresInvented: evaluation?.isolation === 'fake',
    superseded: state === 'superseded',
    ...(state === 'not committed' ? { committed: false } : {}),
    evaluationResult: evaluation,
    hiddenResult: hidden?.result ?? null,
    hiddenBeside: hidden === null ? null : { direction: hidden.direction, initial: hidden.initial },
    delta,
    parentScores,
    usage,
    costUsd,
    unanswered,
    shownBeside: shown,
    ...{ said, limits },
    messages,
    calls: stages.filter(({ stage }) => stage !== 'program'),
    stages: evaluation?.stages ?? [],
    artifacts,
    code,
    solution,
    system: messages.find(({ role }) => role === 'system')?.content ?? null,
    user: messages.findLast(({ role }) => role === 'user')?.content ?? null,
    ...texts,
  };
};

export type Best = NonNullable<RunDocument['best']>;

/** The best program of a run, without its texts where these are not asked for. */
export const bestReport = (
  { run, config }: RunDocument,
  { program, score, strictScore, step }: Best,
  { program: { reward }, code, solution, hidden, idea }: ProgramTexts,
  asked: { readonly code?: boolean; readonly solution?: boolean },
) => ({
  ...{ run, program, score, strictScore, step, reward },
  ...(idea === null ? {} : { idea }),
  ...(inventsScores(config) ? { scoresInvented: true } : {}),
  ...(hidden === null ? {} : { hidden: hiddenReport(hidden.result, hidden) }),
  ...(asked.code ? { code } : {}),
  ...(asked.solution && solution !== null ? { solution: JSON.parse(solution) as unknown } : {}),
});

export const hiddenReport = (
  { outcome, score, metrics, reasons }: OnHidden['result'],
  { direction, initial }: Pick<OnHidden, 'direction' | 'initial'>,
): object => ({ outcome, score, metrics, reasons, direction, initial });
