// Composes the request for a group's programs in the run's style.
import type { StyleName } from '../../../../evolution/config/styles.ts';
import type { Message } from '../../../../evolution/types.ts';
import { conversation } from './conversation.ts';
import { delta } from './delta.ts';
import { openevolve } from './openevolve.ts';
import { proposal, taskOnly, theta } from './plain-styles.ts';
import { asRanked, type Style, type StyleInput } from './style.ts';
import { templateFor } from './templates.ts';

/** The styles whose prompts are more than their template filled as that of `theta`. Traits: evolution/config/styles.ts. */
const COMPOSERS: { readonly [style in StyleName]?: Style<style> } = {
  openevolve,
  delta,
  proposal,
  conversation,
  'task-only': taskOnly,
};

export const compose = async (input: StyleInput): Promise<readonly (readonly Message[])[]> =>
  input.groups.length === 0
    ? []
    : composeIn(input.config.prompt.style, { ...input, task: asRanked(input.task, input.config) });

const composeIn = <S extends StyleName>(style: S, input: StyleInput): ReturnType<Style<S>> =>
  (COMPOSERS[style] ?? (theta as Style<S>))(input, templateFor(style, input.task, input.config.prompt.frame));
