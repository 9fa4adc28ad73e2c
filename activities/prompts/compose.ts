// Composes the request for a group's programs in the run's style, and stores messages as references to their texts.
import type { StyleName } from '../../evolution/config/styles.ts';
import type { Message } from '../../evolution/types.ts';
import type { StoredMessage } from '../store/step-documents.ts';
import type { Store } from '../store/store.ts';
import { conversation } from './conversation.ts';
import { delta } from './delta.ts';
import { openevolve } from './openevolve.ts';
import { proposal, taskOnly, theta } from './plain-styles.ts';
import type { Style, StyleInput } from './style.ts';
import { templateFor } from './templates.ts';

/** The traits of each stand in evolution/config/styles.ts. */
const STYLES: { readonly [style in StyleName]: Style<style> } = {
  theta,
  openevolve,
  delta,
  proposal,
  conversation,
  'task-only': taskOnly,
};

export const compose = async (input: StyleInput): Promise<readonly (readonly Message[])[]> =>
  input.groups.length === 0 ? [] : composeIn(input.config.prompt.style, input);

const composeIn = <S extends StyleName>(style: S, input: StyleInput): ReturnType<Style<S>> =>
  STYLES[style](input, templateFor(style, input.task));

export const storeMessages = async (
  store: Store,
  conversations: readonly (readonly Message[])[],
): Promise<readonly (readonly StoredMessage[])[]> => {
  const refs = await store.putTexts(conversations.flat().map(({ content }) => content));
  let next = 0;
  return conversations.map((messages) => messages.map(({ role }) => ({ role, content: refs[next++]! })));
};
