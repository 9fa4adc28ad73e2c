// The builders of prompts with the shipped templates, as runs of tasks without templates of their own have them.
import { shippedTemplate } from '../../../activities/step/ask/prompts/templates.ts';
import * as conversation from '../../../evolution/prompts/conversation.ts';
import type { ConversationParts } from '../../../evolution/prompts/conversation.ts';
import * as repair from '../../../evolution/prompts/parts/delta-format.ts';
import * as delta from '../../../evolution/prompts/delta-prompt.ts';
import * as ideas from '../../../evolution/prompts/idea-prompts.ts';
import * as meta from '../../../evolution/prompts/meta-prompt.ts';
import * as openevolve from '../../../evolution/prompts/openevolve-prompt.ts';
import * as theta from '../../../evolution/prompts/theta-prompt.ts';

/** As a request is told: with attempts in the common frame, without in the papers'. */
const frameOf = ({ tried }: { readonly tried?: unknown }) => (tried == null ? 'paper' : 'common');

type Built = { readonly system: string; readonly user: string };

export const buildThetaPrompt = (prompt: theta.ThetaPrompt): Built =>
  theta.buildThetaPrompt(prompt, shippedTemplate('theta', frameOf(prompt)));
export const buildOpenEvolvePrompt = (prompt: openevolve.OpenEvolvePrompt): Built =>
  openevolve.buildOpenEvolvePrompt(prompt, shippedTemplate('openevolve', frameOf(prompt)));
export const buildDeltaPrompt = (prompt: delta.DeltaPrompt): Built =>
  delta.buildDeltaPrompt(prompt, shippedTemplate('delta', frameOf(prompt)));

type Beside = 'task' | 'promptText' | 'evolvedPrompt';
type Proposal = Omit<ideas.IdeaProgramPrompt, Beside> & Partial<Pick<ideas.IdeaProgramPrompt, Beside>>;
export const buildIdeaProgramPrompt = (prompt: Proposal): Built =>
  ideas.buildIdeaProgramPrompt(
    {
      task: { scoreName: 'score', direction: 'maximise' },
      promptText: 'Find a large value.',
      evolvedPrompt: null,
      ...prompt,
    },
    shippedTemplate('proposal', prompt.stated === undefined ? 'paper' : 'common'),
  );

export const buildConversation = (parts: ConversationParts) =>
  conversation.buildConversation(parts, shippedTemplate('conversation', frameOf(parts)));
export const buildIdeaPrompt = (prompt: Omit<ideas.IdeaPrompt, 'task' | 'promptText'>): Built =>
  ideas.buildIdeaPrompt(
    { task: { scoreName: 'score', direction: 'maximise' }, promptText: 'Find a large value.', ...prompt },
    shippedTemplate('idea'),
  );
export const buildJudgePrompt = (judged: ideas.Judged): string =>
  ideas.buildJudgePrompt(judged, shippedTemplate('judge'));
export const buildMetaPrompt = (prompt: meta.MetaPrompt): Built =>
  meta.buildMetaPrompt(prompt, shippedTemplate('meta'));
export const buildMissingDeltaRepair = (prompt: repair.MissingDeltaRepair): Built =>
  repair.buildMissingDeltaRepair(prompt, shippedTemplate('repair'));
