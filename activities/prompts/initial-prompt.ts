// The prompt with which every island begins, where prompts evolve: the task's words in full, all of them open to edits. Called when a step is planned
// and by the style `conversation`.
import { openPrompt } from '../../evolution/exploration/prompt-edit.ts';
import type { Task } from '../../evolution/task.ts';

export const initialPrompt = ({ prompts }: Task): string => openPrompt(prompts.map(({ text }) => text.trim()).join('\n\n'));
