// Style `delta`: the parent as code, every other program as what it changed (DeltaEvolve, section 2, Prompt and Progressive disclosure sampler).
import { axesOf } from '../../evolution/archives/axes.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';
import { attemptOf } from '../../evolution/deltas/attempt.ts';
import { disclosureOf } from '../../evolution/deltas/disclosure.ts';
import { feedbackOf, type Feedback } from '../../evolution/deltas/feedback.ts';
import { buildDeltaPrompt, type ShownDelta, type ShownParent } from '../../evolution/prompts/delta-prompt.ts';
import { editNotes } from '../../evolution/prompts/edit-notes.ts';
import { fitTokens } from '../../evolution/prompts/fit-tokens.ts';
import { maskOf } from '../../evolution/prompts/masking.ts';
import type { Task } from '../../evolution/task.ts';
import type { ProgramId } from '../../evolution/types.ts';
import type { GroupPlan } from '../store/documents.ts';
import { changesOf, type Changes } from './changes.ts';
import { hintsFor, partOf } from './parts.ts';
import { returnedLines, showPrograms, shownIn, type Shown } from './shown-programs.ts';
import type { Style } from './style.ts';

export const delta: Style<'delta'> = async ({ store, task, config, step, groups }, template) => {
  const shown = await showPrograms(store, shownIn(groups.map(({ plan }) => plan)));
  const changes = await changesOf(store, [...shown.values()].map(({ program }) => program));
  const returned = config.prompt.reintroduced ? await returnedLines(store, groups.map(({ plan }) => plan.parent)) : new Map<ProgramId, readonly string[]>();
  const known: Known = { task, config, shown, changes };
  return groups.map(({ plan, idea, prompt }) => {
    const part = partOf(task, plan);
    const hide = maskOf([...shown.values()], config.prompt.scores);
    const history = historyOf(known, plan, attemptOf({ step, slot: plan.group * config.responses }, config));
    // Beyond `prompt.maxTokens` deltas are dropped whole, the last one first.
    const { system, user } = fitTokens(history, config.prompt.maxTokens, (places) => buildDeltaPrompt({
      task, part: prompt === null ? part : { ...part, text: prompt }, parent: parentOf(known, plan.parent), history: places,
      scores: config.prompt.scores, feedback: config.prompt.feedback, dimensions: dimensionsOf(config),
      reintroduced: returned.get(plan.parent) ?? [], idea: idea === null ? null : hide.prose(idea),
      hints: hintsFor(config, plan), settings: config.diff,
    }, template));
    return [{ role: 'system', content: system }, { role: 'user', content: user }];
  });
};

type Known = { readonly task: Task; readonly config: RunConfig; readonly shown: ReadonlyMap<ProgramId, Shown>; readonly changes: Changes };

/** Elites and the best first, as top plans; whoever else is shown as diverse plans. Roots have nothing to show, and nobody stands twice. */
const historyOf = ({ task, config, shown, changes }: Known, { context = [], priorPrograms }: GroupPlan, t: number): readonly ShownDelta[] => {
  const roleOf = new Map<ProgramId, ShownDelta['role']>(context.map(({ id, role }) => [id, role === 'elite' || role === 'best' ? 'top' : 'diverse']));
  for (const id of priorPrograms) if (!roleOf.has(id)) roleOf.set(id, 'diverse');
  const nodes = [...roleOf].flatMap(([id, role]): ShownDelta[] => {
    const [node, change] = [shown.get(id), changes.of.get(id)];
    if (node === undefined || change === undefined) return [];
    const time = attemptOf(node.program, config);
    const level = disclosureOf({ mode: config.delta.disclosure, t, window: config.delta.window, time, hasPlan: change.plan.length > 0 });
    return [{ role, time, label: change.label, delta: change, level, feedback: feedbackTo(task, node) }];
  });
  return [...nodes.filter(({ role }) => role === 'top'), ...nodes.filter(({ role }) => role === 'diverse')];
};

const parentOf = ({ task, shown, changes }: Known, id: ProgramId): ShownParent => {
  const node = shown.get(id)!;
  const before = changes.parents.get(node.program.parents[0] ?? '');
  return { code: node.code, label: changes.of.get(id)?.label ?? null, score: node.score, scoreBefore: before?.score ?? null, feedback: withEdits(feedbackTo(task, node), node) };
};

/** Of the program to change what went wrong with the answer that made it, too. */
const withEdits = (feedback: Feedback, { program: { edits = [] } }: Shown): Feedback =>
  (edits.length === 0 ? feedback : { ...feedback, values: { ...feedback.values, edits: editNotes(edits) } });

const feedbackTo = ({ scoreName }: Task, { outcome, score, metrics, program }: Shown): Feedback =>
  feedbackOf({ scoreName, outcome, score, metrics, reasons: program.reasons });

/** As OpenEvolve names them: the length of a program is its complexity. */
const dimensionsOf = ({ population }: RunConfig): readonly string[] =>
  (population.map === 'grid' || population.map === 'cvt' ? axesOf(population).map(({ feature }) => (feature === 'length' ? 'complexity' : feature)) : []);
