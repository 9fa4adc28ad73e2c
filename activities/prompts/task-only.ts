// Style `task-only`: the task and the initial program (DeltaEvolve, section 2, Baselines: parallel-sampling). The same for every group: of weighted parts
// the first, of people's hints those for all islands.
import { buildTaskOnlyPrompt } from '../../evolution/prompts/task-only-prompt.ts';
import type { Style } from './style.ts';

export const taskOnly: Style<'task-only'> = async ({ task, config, groups }, template) => {
  const hints = config.prompt.hints.flatMap(({ island, text }) => (island === null ? [text] : []));
  return groups.map(({ idea, prompt }) => {
    const { system, user } = buildTaskOnlyPrompt({ task, words: prompt ?? task.prompts[0]!.text, idea, hints, settings: config.diff }, template);
    return [{ role: 'system', content: system }, { role: 'user', content: user }];
  });
};
