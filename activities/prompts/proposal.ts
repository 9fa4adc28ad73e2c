// Style `proposal`: the program model carries an idea out on the sampled program (AlphaResearch, section 2, Program). Without ideation the idea
// is the parent's own.
import { buildIdeaProgramPrompt } from '../../evolution/prompts/idea-program-prompt.ts';
import { ideasOf, shownMetrics } from './ideas-of.ts';
import { asked, hintsFor } from './parts.ts';
import { showPrograms } from './shown-programs.ts';
import type { Style } from './style.ts';

export const proposal: Style<'proposal'> = async ({ store, task, config, run, groups }, template) => {
  const shown = await showPrograms(store, groups.map(({ plan }) => plan.parent));
  const ideas = await ideasOf({ store, task, config, run, shown: [...shown.values()] });
  return groups.map(({ plan, idea, prompt }) => {
    const parent = shown.get(plan.parent)!;
    const previous = ideas.get(plan.parent)!;
    const { system, user } = buildIdeaProgramPrompt({
      task, words: asked(task, plan, prompt).text, evolvedPrompt: prompt,
      previous: { proposal: previous, code: parent.code, metrics: shownMetrics(parent, task, config) },
      proposal: idea ?? previous, settings: config.diff, hints: hintsFor(config, plan), digits: config.ideation.digits,
    }, template);
    return [{ role: 'system', content: system }, { role: 'user', content: user }];
  });
};
