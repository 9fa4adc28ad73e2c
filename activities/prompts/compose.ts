// The request for a group's programs, in the run's style. Called by plan-step.ts and, after stages, by advance.ts.
import type { RunConfig } from '../../evolution/config/run-config.ts';
import type { TemplateStyle } from '../../evolution/prompts/placeholders.ts';
import type { Message } from '../../evolution/types.ts';
import type { StoredMessage } from '../store/documents.ts';
import type { Store } from '../store/store.ts';
import { proposal } from './proposal.ts';
import { delta } from './delta.ts';
import { conversation } from './conversation.ts';
import { openevolve } from './openevolve.ts';
import { taskOnly } from './task-only.ts';
import { hasTemplate, templateFor } from './templates.ts';
import { theta } from './theta.ts';
import type { Style, StyleInput, TemplateStyling } from './style.ts';

/** Styles whose messages are built in code. */
const STYLES: { readonly [style in Exclude<RunConfig['prompt']['style'], TemplateStyle>]: Style } = { conversation, 'task-only': taskOnly };
/** Styles that fill a template, the task's or the shipped one. */
const TEMPLATED: { readonly [style in TemplateStyle]: TemplateStyling } = { theta, openevolve, delta, proposal };

export const compose = async (input: StyleInput): Promise<readonly (readonly Message[])[]> => {
  const { style } = input.config.prompt;
  if (input.groups.length === 0) return [];
  return hasTemplate(style) ? TEMPLATED[style](input, templateFor(style, input.task)) : STYLES[style](input);
};

/** Messages as references to their stored texts. */
export const storeMessages = async (store: Store, conversations: readonly (readonly Message[])[]): Promise<readonly (readonly StoredMessage[])[]> => {
  const refs = await store.putTexts(conversations.flat().map(({ content }) => content));
  let next = 0;
  return conversations.map((messages) => messages.map(({ role }) => ({ role, content: refs[next++]! })));
};
