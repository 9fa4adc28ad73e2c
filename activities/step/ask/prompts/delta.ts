// Style `delta`: the parent is shown as code, every other program as what it changed (DeltaEvolve 4.3, Figure 6).
import { axesOf } from '../../../../evolution/archives/cell-space.ts';
import type { RunConfig } from '../../../../evolution/config/run-config.ts';
import { completeDelta } from '../../../../evolution/deltas/complete.ts';
import { attemptOf, changeLabel, deltaOf, type Disclosed } from '../../../../evolution/deltas/delta.ts';
import { notApplied } from '../../../../evolution/edits/apply.ts';
import { type Feedback, feedbackOf } from '../../../../evolution/deltas/feedback.ts';
import { disclosureOf } from '../../../../evolution/deltas/history.ts';
import {
  buildDeltaPrompt,
  type DeltaPrompt,
  historyTexts,
  type ShownDelta,
  type ShownParent,
} from '../../../../evolution/prompts/delta-prompt.ts';
import { editNotes, maskOf } from '../../../../evolution/prompts/parts/program-card.ts';
import { fencedProgram, fitFrame } from '../../../../evolution/prompts/parts/sections.ts';
import { rankedScore } from '../../../../evolution/scoring/ranking.ts';
import { slotOf } from '../../../../evolution/schedule/slots.ts';
import type { Task } from '../../../../evolution/task/task.ts';
import type { ProgramId } from '../../../../evolution/types.ts';
import { estimatedTokens } from '../../../llm/transport/numbers.ts';
import type { GroupPlan, ProgramDocument } from '../../../store/documents/step-documents.ts';
import { deltaIdOf } from '../../../store/content/mended.ts';
import type { Store } from '../../../store/store.ts';
import { readGroups } from './read-groups.ts';
import { messagesOf, type Shown, type Style } from './style.ts';

export const delta: Style<'delta'> = async (input, template) => {
  const { store, task, config, step } = input;
  const { shown, groups } = await readGroups(input);
  const changes = await changesOf(
    store,
    [...shown.values()].map(({ program }) => program),
  );
  const known: Known = { task, config, shown, changes };
  const hide = maskOf([...shown.values()], config.prompt.scores);
  return groups.map(({ plan, parent: { program, error, artifacts }, contents }) => {
    const { tried, idea } = contents;
    const history = historyOf(known, plan, attemptOf({ step, slot: slotOf(plan.group, 0, config.responses) }, config));
    const parent = { ...parentOf(known, plan.parent), artifacts };
    const failed = tried !== null && program.outcome !== 'valid' && error !== '';
    // Beyond `prompt.maxTokens` whole deltas are dropped, the last one first, then the oldest attempts.
    const { disclosed, ...built } = fitFrame(
      tried?.latest ?? [],
      history,
      config.prompt.maxTokens,
      (attempts, places) => {
        const prompt: DeltaPrompt = {
          ...contents,
          parent: failed ? { ...parent, feedback: { ...parent.feedback, error } } : parent,
          attempts,
          history: places,
          dimensions: dimensionsOf(config),
          idea: idea === null ? null : hide.prose(idea),
        };
        return { ...buildDeltaPrompt(prompt, template), disclosed: disclosedIn(plan.parent, places, prompt) };
      },
    );
    input.onDisclosed?.(plan._id, disclosed);
    return messagesOf(built);
  });
};

const disclosedIn = (parent: ProgramId, nodes: readonly Node[], contents: DeltaPrompt): readonly Disclosed[] => {
  const texts = historyTexts(contents);
  return [
    { id: parent, level: 'L3', tokens: tokensOf(fencedProgram(contents.parent.code)) },
    ...nodes.map(({ id, level }, index): Disclosed => ({ id, level, tokens: tokensOf(texts[index]!) })),
  ];
};

const tokensOf = (text: string): number => estimatedTokens(text.length);

type Known = {
  readonly task: Task;
  readonly config: RunConfig;
  readonly shown: ReadonlyMap<ProgramId, Shown>;
  readonly changes: Changes;
};

/** A node of the history section, and whose it is. */
type Node = ShownDelta & { readonly id: ProgramId };

/**
 * Elites and the best come first, as top plans; all other programs are shown as diverse plans. Roots have nothing to
 * show, and no program is shown twice.
 */
const historyOf = (
  { task, config, shown, changes }: Known,
  { parent, context = [], priorPrograms }: GroupPlan,
  t: number,
): readonly Node[] => {
  const roleOf = new Map<ProgramId, ShownDelta['role']>(
    context.map(({ id, role }) => [id, role === 'elite' || role === 'best' ? 'top' : 'diverse']),
  );
  for (const id of priorPrograms) if (!roleOf.has(id)) roleOf.set(id, 'diverse');
  const best = context.find(({ role }) => role === 'best' || role === 'elite')?.id;
  const nodes = [...roleOf].flatMap(([id, role]): Node[] => {
    const [node, change] = [shown.get(id), changes.of.get(id)];
    if (node === undefined || change === undefined) return [];
    const time = attemptOf(node.program, config);
    const level = disclosureOf({
      mode: config.delta.disclosure,
      t,
      window: config.delta.window,
      time,
      hasPlan: change.plan.length > 0,
    });
    return [
      {
        id,
        role,
        undone: notApplied(node.program.edits ?? []),
        time,
        label: change.label,
        delta: change,
        level,
        feedback: feedbackTo(task, node),
        printed: id === best && id !== parent && node.outcome === 'valid' ? node.printed : undefined,
      },
    ];
  });
  return [...nodes.filter(({ role }) => role === 'top'), ...nodes.filter(({ role }) => role === 'diverse')];
};

const parentOf = ({ task, shown, changes }: Known, id: ProgramId): ShownParent => {
  const node = shown.get(id)!;
  const before = changes.parents.get(node.program.parents[0] ?? '');
  return {
    code: node.code,
    label: changes.of.get(id)?.label ?? null,
    score: node.score,
    scoreBefore: before === undefined ? null : rankedScore(before),
    feedback: withEdits(feedbackTo(task, node), node),
    printed: node.outcome === 'valid' ? node.printed : undefined,
  };
};

/** For the parent, the feedback also says what was wrong with the answer that made it. */
const withEdits = (feedback: Feedback, { program: { edits = [] } }: Shown): Feedback =>
  edits.length === 0 ? feedback : { ...feedback, values: { ...feedback.values, edits: editNotes(edits) } };

const feedbackTo = ({ scoreName }: Task, { outcome, score, metrics, program }: Shown): Feedback =>
  feedbackOf({ scoreName, outcome, score, metrics, reasons: program.reasons });

/** The dimensions by their names in OpenEvolve, where the length of a program is called its complexity. */
const dimensionsOf = ({ population }: RunConfig): readonly string[] =>
  population.map === 'grid' || population.map === 'cvt'
    ? axesOf(population).map(({ feature }) => (feature === 'length' ? 'complexity' : feature))
    : [];

type Change = NonNullable<ProgramDocument['change']>;
/** The changes of programs against their parents and their effects, in the form that prompts of style `delta` show. */
type Changes = {
  readonly of: ReadonlyMap<ProgramId, Change>;
  readonly parents: ReadonlyMap<ProgramId, ProgramDocument>;
};

/**
 * The changes of these programs, and their parents. Roots have no change. A program that was made in another style of
 * prompts has a mechanical one.
 */
const changesOf = async (store: Store, programs: readonly ProgramDocument[]): Promise<Changes> => {
  const parents = await store.getPrograms([...new Set(programs.flatMap((program) => program.parents[0] ?? []))]);
  const untold = programs.filter((program) => program.parents.length > 0 && program.change === undefined);
  const deltas = untold.length === 0 ? new Map<ProgramId, never>() : await store.getDeltas(untold.map(deltaIdOf));
  return {
    parents,
    of: new Map(
      programs.flatMap((program): [ProgramId, Change][] => {
        const [id] = program.parents;
        if (id === undefined) return [];
        if (program.change !== undefined) return [[program._id, program.change]];
        const [parent, delta] = [parents.get(id), deltas.get(deltaIdOf(program))];
        const told = completeDelta({
          delta: deltaOf(null, []),
          parentDelta: parent?.change ?? null,
          blocks: delta?.blocks ?? 0,
          addedLines: delta?.lines?.added ?? 0,
          deletedLines: delta?.lines?.deleted.length ?? 0,
        });
        return [
          [program._id, { ...told, label: changeLabel({ fit: program.fit ?? null, parentFit: parent?.fit ?? null }) }],
        ];
      }),
    ),
  };
};
