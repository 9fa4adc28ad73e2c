// Style `theta`: one part of meta-information, other programs, the parent, the rules (ThetaEvolve, section 2, Prompt).
import { buildThetaPrompt } from '../../evolution/prompts/theta-prompt.ts';
import type { ProgramId } from '../../evolution/types.ts';
import { returnedLines, showPrograms, shownIn } from './shown-programs.ts';
import { asked, hintsFor } from './parts.ts';
import type { Style } from './style.ts';

export const theta: Style<'theta'> = async ({ store, task, config, groups }, template) => {
  const shown = await showPrograms(store, shownIn(groups.map(({ plan }) => plan)));
  const returned = config.prompt.reintroduced ? await returnedLines(store, groups.map(({ plan }) => plan.parent)) : new Map<ProgramId, readonly string[]>();
  return groups.map(({ plan, idea, prompt }) => {
    const { system, user } = buildThetaPrompt({
      task, part: asked(task, plan, prompt), parent: shown.get(plan.parent)!, prior: plan.priorPrograms.map((id) => shown.get(id)!),
      context: (plan.context ?? []).map(({ id, role }) => ({ role, program: shown.get(id)! })),
      reintroduced: returned.get(plan.parent) ?? [], idea, hints: hintsFor(config, plan), settings: config.diff,
      scores: config.prompt.scores, feedback: config.prompt.feedback, maxTokens: config.prompt.maxTokens,
    }, template);
    return [{ role: 'system', content: system }, { role: 'user', content: user }];
  });
};
