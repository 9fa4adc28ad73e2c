// The builders of prompts with the shipped templates, as runs of tasks without templates of their own have them.
import { shippedTemplate } from '../../activities/prompts/templates.ts';
import * as delta from '../../evolution/prompts/delta-prompt.ts';
import * as proposal from '../../evolution/prompts/idea-program-prompt.ts';
import * as openevolve from '../../evolution/prompts/openevolve-prompt.ts';
import * as theta from '../../evolution/prompts/theta-prompt.ts';

type Built = { readonly system: string; readonly user: string };

export const buildThetaPrompt = (prompt: theta.ThetaPrompt): Built => theta.buildThetaPrompt(prompt, shippedTemplate('theta'));
export const buildOpenEvolvePrompt = (prompt: openevolve.OpenEvolvePrompt): Built => openevolve.buildOpenEvolvePrompt(prompt, shippedTemplate('openevolve'));
export const buildDeltaPrompt = (prompt: delta.DeltaPrompt): Built => delta.buildDeltaPrompt(prompt, shippedTemplate('delta'));

type Proposal = Omit<proposal.IdeaProgramPrompt, 'task' | 'words' | 'evolvedPrompt'>;
export const buildIdeaProgramPrompt = (prompt: Proposal): Built => proposal.buildIdeaProgramPrompt(
  { task: { scoreName: 'score', direction: 'maximise' }, words: 'Find a large value.', evolvedPrompt: null, ...prompt }, shippedTemplate('proposal'),
);
