// The styles that show programs as code or nothing but the task: `theta`, `task-only` and `proposal`; and the ideas and
// results of programs as prompts about ideas show them.
import type { RunConfig } from '../../../../evolution/config/run-config.ts';
import { buildIdeaProgramPrompt } from '../../../../evolution/prompts/idea-prompts.ts';
import { initialIdea } from '../../../../evolution/prompts/initial-idea.ts';
import { type Metrics, metricsOf } from '../../../../evolution/prompts/parts/metrics-text.ts';
import {
  maskOf,
  metricsLine,
  outputSections,
  type ShownProgram,
  type Telling,
  wentWrong,
} from '../../../../evolution/prompts/parts/program-card.ts';
import { fitFrame } from '../../../../evolution/prompts/parts/sections.ts';
import { ShownCode } from '../../../../evolution/prompts/parts/shown-code.ts';
import { joined } from '../../../../evolution/prompts/parts/statement.ts';
import { buildTaskOnlyPrompt } from '../../../../evolution/prompts/task-only-prompt.ts';
import { buildThetaPrompt } from '../../../../evolution/prompts/theta-prompt.ts';
import { triedSections } from '../../../../evolution/prompts/parts/tried.ts';
import { rankedScore } from '../../../../evolution/scoring/ranking.ts';
import type { Task } from '../../../../evolution/task/task.ts';
import type { ProgramId, RunId } from '../../../../evolution/types.ts';
import type { Store } from '../../../store/store.ts';
import { readGroups } from './read-groups.ts';
import {
  idsWith,
  insteadOf,
  messagesOf,
  patchSettings,
  type Shown,
  stated,
  statedBeside,
  type Style,
} from './style.ts';

/** Style `theta`: one part of meta-information, other programs, the parent, the rules (ThetaEvolve B.1, B.3). */
export const theta: Style<'theta'> = async (input, template) => {
  const { shown, groups } = await readGroups(input);
  return groups.map(({ plan, parent, contents }) =>
    messagesOf(
      buildThetaPrompt(
        {
          ...contents,
          parent,
          prior: plan.priorPrograms.map((id) => shown.get(id)!),
          context: (plan.context ?? []).map(({ id, role }) => ({ role, program: shown.get(id)! })),
        },
        template,
      ),
    ),
  );
};

/**
 * Style `task-only`: the task and the initial program (DeltaEvolve 5.1: Parallel Sampling). It is the same for every
 * group, so it has the first of weighted parts, and of people's hints those for all islands.
 */
export const taskOnly: Style<'task-only'> = async ({ task, config, groups }, template) => {
  const hints = config.prompt.hints.flatMap(({ island, text }) => (island === null ? [text] : []));
  return groups.map(({ plan, idea, prompt }) =>
    messagesOf(
      buildTaskOnlyPrompt(
        {
          task,
          stated: stated(task, plan, config, prompt ?? task.prompts[0]!.text),
          idea,
          hints,
          settings: patchSettings(config, plan, () => ''),
        },
        template,
      ),
    ),
  );
};

type IdeasOf = {
  readonly store: Store;
  readonly task: Task;
  readonly config: RunConfig;
  readonly run: RunId;
  readonly shown: readonly Shown[];
};

/**
 * The idea that each program carries out, by program. A program without an idea of its own (an injected one, or one
 * made without ideation) has the initial idea, as the initial program has.
 */
export const ideasOf = async ({
  store,
  task,
  config,
  run,
  shown,
}: IdeasOf): Promise<ReadonlyMap<ProgramId, string>> => {
  // How much of the initial idea a prompt may show can change during a run, so it is written anew.
  const programs = shown.map(({ program: { _id, bornSeq, idea } }) => ({
    _id,
    idea: bornSeq === 0 ? undefined : idea,
  }));
  const texts = await store.getTexts(programs.flatMap(({ idea }) => idea?.text ?? []));
  const initial = programs.every(({ idea }) => idea !== undefined)
    ? ''
    : initialIdea({
        task,
        baseline: await baselineOf(store, run),
        digits: config.ideation.digits,
        masked: config.prompt.scores === 'masked',
        beside: config.prompt.frame === 'common',
      });
  const { prose } = maskOf(shown, config.prompt.scores);
  return new Map(
    programs.map(({ _id, idea }) => [_id, idea === undefined ? initial : prose(texts.get(idea.text) ?? '')]),
  );
};

/** Score of the run's initial program; a fork has its parent run's. */
const baselineOf = async (store: Store, run: RunId): Promise<number | null> => {
  for await (const program of store.eachProgram(run, { comparable: true })) return rankedScore(program);
  return null;
};

/** The part of a result that the settings let a prompt show. */
export const shownMetrics = (
  shown: ShownProgram,
  { scoreName }: Task,
  { prompt: { scores, feedback } }: RunConfig,
): Metrics => {
  if (feedback === 'none') return {};
  return scores === 'masked' || feedback === 'label-only'
    ? { valid: shown.outcome === 'valid' }
    : metricsOf(shown, scoreName);
};

/**
 * Style `proposal`: the program model carries an idea out on the sampled program (AlphaResearch Eq. 2, Appendix B).
 * Without ideation the idea is the parent's own.
 */
export const proposal: Style<'proposal'> = async (input, template) => {
  const { store, task, config, run } = input;
  const { shown, groups } = await readGroups(input, (plans) =>
    plans.flatMap((plan) => idsWith(plan, 'best').slice(0, 1)),
  );
  const ideas = await ideasOf({ store, task, config, run, shown: [...shown.values()] });
  return groups.map(({ group: { prompt }, plan, parent, contents }) => {
    const { tried, idea, hints, settings } = contents;
    const previous = ideas.get(plan.parent)!;
    const telling: Telling = config.prompt;
    const failure =
      tried === null || config.prompt.feedback !== 'full'
        ? ''
        : [
            ...wentWrong(maskOf([parent], config.prompt.scores).output(parent.error), parent.edits ?? []),
            ...outputSections(parent, telling),
          ].join('\n\n');
    const best =
      tried === null
        ? []
        : idsWith(plan, 'best')
            .slice(0, 1)
            .flatMap((id) => shown.get(id) ?? []);
    return messagesOf(
      fitFrame(tried?.latest ?? [], best, config.prompt.maxTokens, (attempts, besides) => {
        const codes = new ShownCode(parent.code, 'the previous program');
        return buildIdeaProgramPrompt(
          {
            task,
            promptText: joined(contents.stated.problem, contents.stated.advice),
            stated: statedBeside(task, plan, config, insteadOf(task, config, { prompt, idea })),
            evolvedPrompt: tried === null ? prompt : null,
            previous: {
              proposal: previous,
              code: parent.code,
              metrics: shownMetrics(parent, task, config),
              failure,
            },
            best: besides.map((program) => bestSection(task, program, telling, codes)).join('\n\n'),
            tried: triedSections(tried, attempts, { task, parent, codes, ...telling }),
            proposal: idea ?? previous,
            settings,
            hints,
            digits: config.ideation.digits,
            codes,
          },
          template,
        );
      }),
    );
  });
};

const bestSection = (task: Task, program: ShownProgram, telling: Telling, codes: ShownCode): string =>
  [
    `# Best program of this search`,
    metricsLine(task, program, telling),
    codes.show(program.code, 'the best program'),
    ...outputSections(program, telling),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
