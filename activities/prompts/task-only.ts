// Style `task-only`: the task and the initial program, no history and no feedback (DeltaEvolve, section 2, Baselines: parallel-sampling). The same for
// every group: of weighted parts the first, of people's hints those for all islands.
import { editRules } from '../../evolution/prompts/edit-rules.ts';
import { fenced } from '../../evolution/prompts/fenced.ts';
import { hintSection } from '../../evolution/prompts/hint-section.ts';
import { goal, ideaSection } from '../../evolution/prompts/theta-prompt.ts';
import type { Style } from './style.ts';

const SYSTEM = 'You are an expert software developer who improves a program.';

export const taskOnly: Style = async ({ task, config, groups }) => {
  const hints = config.prompt.hints.flatMap(({ island, text }) => (island === null ? [text] : []));
  return groups.map(({ idea, prompt }) => [
    { role: 'system', content: SYSTEM },
    {
      role: 'user', content: [
        (prompt ?? task.prompts[0]!.text).trim(),
        `# Current program\n\n${fenced(task.initialProgram, 'python')}`,
        ...(idea === null ? [] : [ideaSection(idea)]),
        editRules(task.initialProgram, config.diff),
        ...(hints.length === 0 ? [] : [hintSection(hints)]),
        goal(task, config.diff),
      ].join('\n\n'),
    },
  ]);
};
