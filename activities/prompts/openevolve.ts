// Style `openevolve`: fitness, coordinates and artifacts of the parent, the best programs, and others for variety
// (OpenEvolve 0.3.2; docs/methods/controls.md, openevolve). The plan's elites are shown as the best, and its prior
// programs count as inspirations.
import { axesOf, valueOn } from '../../evolution/archives/cell-space.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { changeLabel } from '../../evolution/deltas/delta.ts';
import {
  buildOpenEvolvePrompt,
  type Coordinate,
  type EvolvedParent,
  type EvolvedProgram,
} from '../../evolution/prompts/openevolve-prompt.ts';
import { editNotes, errorOf, OUTCOME_WORDS, programCard, type Telling } from '../../evolution/prompts/program-card.ts';
import { rankedScore } from '../../evolution/scoring/ranking.ts';
import type { Task } from '../../evolution/task.ts';
import type { Outcome, ProgramId } from '../../evolution/types.ts';
import type { EvaluationDocument, GroupPlan, ProgramDocument } from '../store/step-documents.ts';
import type { Store } from '../store/store.ts';
import { asked, hintsFor, resultsOf, returnedLines, type Shown, shownIn, showPrograms, type Style } from './style.ts';
import { triedOn } from './tried.ts';

export const openevolve: Style<'openevolve'> = async (input, template) => {
  const { store, task, config, groups } = input;
  const plans = groups.map(({ plan }) => plan);
  const tried = await triedOn(input, plans);
  const shown = await showPrograms(store, shownIn(plans));
  const before = await store.getPrograms([...new Set([...shown.values()].flatMap(({ program }) => program.parents))]);
  const returned = config.prompt.reintroduced
    ? await returnedLines(
        store,
        plans.map(({ parent }) => parent),
      )
    : new Map<ProgramId, readonly string[]>();
  const evaluations = await evaluationsOf(
    store,
    plans.map(({ parent }) => shown.get(parent)!.program),
  );
  const evolved = (id: ProgramId): EvolvedProgram => withLabel(shown.get(id)!, before);
  return groups.map(({ plan, idea, prompt }, index) => {
    const { system, user } = buildOpenEvolvePrompt(
      {
        task,
        part: asked(task, plan, prompt, config),
        parent: parentOf(shown.get(plan.parent)!, before, evaluations),
        coordinates: coordinatesOf(shown.get(plan.parent)!.program, config),
        best: idsWith(plan, 'elite', 'best')
          .sort((a, b) => fitOf(shown.get(b)!) - fitOf(shown.get(a)!))
          .map(evolved),
        diverse: idsWith(plan, 'diverse').map(evolved),
        inspirations: [...idsWith(plan, 'inspiration', 'ancestor'), ...plan.priorPrograms].map(evolved),
        tried: tried[index],
        reintroduced: returned.get(plan.parent) ?? [],
        idea,
        hints: hintsFor(config, plan),
        settings: config.diff,
        scores: config.prompt.scores,
        feedback: config.prompt.feedback,
        maxTokens: config.prompt.maxTokens,
      },
      template,
    );
    return [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ];
  });
};

const idsWith = ({ context = [] }: GroupPlan, ...roles: readonly string[]): ProgramId[] =>
  context.flatMap(({ id, role }) => (roles.includes(role) ? [id] : []));

/** Programs without a valid score come last. */
const fitOf = ({ program: { fit } }: Shown): number => fit ?? -Number.MAX_VALUE;

type Programs = ReadonlyMap<ProgramId, ProgramDocument>;

const ownParent = ({ parents: [id] }: ProgramDocument, before: Programs): ProgramDocument | null =>
  id === undefined ? null : (before.get(id) ?? null);

const withLabel = ({ program, ...shown }: Shown, before: Programs): EvolvedProgram => {
  const parent = ownParent(program, before);
  return {
    ...shown,
    label: parent === null ? null : changeLabel({ fit: program.fit ?? null, parentFit: parent.fit ?? null }),
  };
};

const parentOf = (
  shown: Shown,
  before: Programs,
  evaluations: ReadonlyMap<string, EvaluationDocument>,
): EvolvedParent => {
  const own = ownParent(shown.program, before);
  const { evaluation, reasons, edits = [] } = shown.program;
  const found = evaluation === null ? undefined : evaluations.get(evaluation);
  return {
    ...withLabel(shown, before),
    before: own === null ? null : { score: rankedScore(own), length: own.length },
    artifacts: [errorOf({ reasons: found?.reasons ?? reasons, stderrTail: found?.stderrTail ?? '' }), editNotes(edits)]
      .filter((text) => text !== '')
      .join('\n'),
  };
};

const evaluationsOf = (
  store: Store,
  programs: readonly ProgramDocument[],
): Promise<ReadonlyMap<string, EvaluationDocument>> =>
  store.getEvaluations([...new Set(programs.flatMap(({ evaluation }) => evaluation ?? []))]);

/** Raw values; the axis `score` is shown with the task's own sign. */
const coordinatesOf = (program: ProgramDocument, { population }: RunConfig): readonly Coordinate[] =>
  axesOf(population).map((axis) => ({
    name: axis.feature,
    value:
      axis.feature === 'score'
        ? rankedScore(program)
        : program.fit === undefined && axis.feature !== 'length'
          ? null
          : valueOn(axis, {
              fit: program.fit ?? 0,
              length: program.length,
              ...(program.values === undefined ? {} : { values: program.values }),
            }),
  }));

/** In the place of the code of an ancestor that an answer in the conversation gives. */
const CHANGED = 'Its code is that of the version before it, changed by the answer above.';

/** Programs as cards: metrics, exit code, code (where it is wanted), the end of the error output. */
export const cardsOf = async (
  store: Store,
  task: Task,
  ids: readonly ProgramId[],
  { scores, feedback, frame, code = true }: Telling & { readonly code?: boolean },
): Promise<ReadonlyMap<ProgramId, string>> => {
  const shown = await showPrograms(store, ids);
  const resultOf = await resultsOf(
    store,
    [...shown.values()].map(({ program }) => program),
  );
  return new Map(
    [...shown].map(([id, { program, ...rest }]) => {
      const result = resultOf(program);
      return [
        id,
        rest.code === '' || program.outcome === 'no_change' || program.outcome === 'duplicate'
          ? noProgram(program.outcome, feedback === 'full' ? result.error : '', frame)
          : programCard(task, { ...rest, ...result }, { scores, feedback, frame }, code ? undefined : CHANGED),
      ];
    }),
  );
};

/** The reason of a repetition names the other program by its id, which says nothing to a model. */
const noProgram = (outcome: Outcome, error: string, frame: Telling['frame']): string =>
  frame === 'common'
    ? `There is no new program: ${OUTCOME_WORDS[outcome]}${error === '' || outcome === 'duplicate' ? '' : `: ${error}`}.`
    : `The answer gave no new program (${outcome})${error === '' ? '.' : `: ${error}`}`;
