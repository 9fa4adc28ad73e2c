// Style `openevolve`: fitness, coordinates and artifacts of the parent, the best programs, and others for variety
// (OpenEvolve 0.3.2; docs/methods/controls.md, openevolve). The plan's elites are shown as the best, and its prior
// programs count as inspirations.
import { axesOf, valueOn } from '../../../../evolution/archives/cell-space.ts';
import type { RunConfig } from '../../../../evolution/config/run-config.ts';
import { changeLabel } from '../../../../evolution/deltas/delta.ts';
import type { Card } from '../../../../evolution/prompts/conversation.ts';
import {
  buildOpenEvolvePrompt,
  type Coordinate,
  type EvolvedParent,
  type EvolvedProgram,
} from '../../../../evolution/prompts/openevolve-prompt.ts';
import {
  editNotes,
  OUTCOME_WORDS,
  programCard,
  type Telling,
} from '../../../../evolution/prompts/parts/program-card.ts';
import { rankedScore } from '../../../../evolution/scoring/ranking.ts';
import { FEW_LINES, lastLines } from '../../../../evolution/prompts/parts/tried.ts';
import type { Task } from '../../../../evolution/task/task.ts';
import type { Outcome, ProgramId } from '../../../../evolution/types.ts';
import type { ProgramDocument } from '../../../store/documents/step-documents.ts';
import { type GroupRead, readGroups } from './read-groups.ts';
import { idsWith, messagesOf, resultOf, type Shown, type Style } from './style.ts';

export const openevolve: Style<'openevolve'> = async (input, template) => {
  const { store, config } = input;
  const { shown, groups } = await readGroups(input);
  const before = await store.getPrograms([...new Set([...shown.values()].flatMap(({ program }) => program.parents))]);
  const evolved = (id: ProgramId): EvolvedProgram => withLabel(shown.get(id)!, before);
  return groups.map(({ plan, parent, contents }) =>
    messagesOf(
      buildOpenEvolvePrompt(
        {
          ...contents,
          parent: parentOf(parent, before),
          coordinates: coordinatesOf(parent.program, config),
          best: idsWith(plan, 'elite', 'best')
            .sort((a, b) => fitOf(shown.get(b)!) - fitOf(shown.get(a)!))
            .map(evolved),
          diverse: idsWith(plan, 'diverse').map(evolved),
          inspirations: [...idsWith(plan, 'inspiration', 'ancestor'), ...plan.priorPrograms].map(evolved),
        },
        template,
      ),
    ),
  );
};

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

const parentOf = (parent: GroupRead['parent'], before: Programs): EvolvedParent => {
  const own = ownParent(parent.program, before);
  return {
    ...withLabel(parent, before),
    before: own === null ? null : { score: rankedScore(own), length: own.length },
    output: [parent.error, editNotes(parent.edits ?? [])].filter((text) => text !== '').join('\n'),
  };
};

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

/**
 * A program as a card: metrics, exit code, code, the end of the error output; in the common frame what it printed,
 * `briefly` the last lines.
 */
export const cardOf = (
  task: Task,
  shown: Shown,
  { scores, feedback, frame }: Telling,
  { briefly = false }: { readonly briefly?: boolean } = {},
): Card => {
  const { program, evaluation: _, printed = '', ...rest } = shown;
  const result = resultOf(shown, frame ?? 'paper');
  if (rest.code === '' || program.outcome === 'no_change' || program.outcome === 'duplicate')
    return () => noProgram(program.outcome, feedback === 'full' ? result.error : '', frame);
  const card = { ...rest, ...result, printed: briefly ? lastLines(printed, FEW_LINES).join('\n') : printed };
  return (show) => programCard(task, card, { scores, feedback, frame }, show?.(rest.code));
};

/** The reason of a repetition names the other program by its id, which says nothing to a model. */
const noProgram = (outcome: Outcome, error: string, frame: Telling['frame']): string =>
  frame === 'common'
    ? `There is no new program: ${OUTCOME_WORDS[outcome]}${error === '' || outcome === 'duplicate' ? '' : `: ${error}`}.`
    : `The answer gave no new program (${outcome})${error === '' ? '.' : `: ${error}`}`;
