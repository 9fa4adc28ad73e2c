// Requests as they are stored, and their texts: all turns of a conversation, and the request for programs to which a
// group's stages led.
import { stageId } from '../../../evolution/ids.ts';
import type { Message } from '../../../evolution/types.ts';
import type { PromptDocument, StoredMessage } from '../../store/documents/step-documents.ts';
import type { Store } from '../../store/store.ts';

/** The messages of a group without stages, whose prompt holds what it is asked. */
export const ownMessages = ({
  messages,
  system,
  user,
}: Pick<PromptDocument, 'messages' | 'system' | 'user'>): readonly StoredMessage[] =>
  messages ?? [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ];

/**
 * The request for a group's programs, after stages the one to which they led. It is empty where the group was refused,
 * and null where nothing is stored yet.
 */
export const programMessages = async (
  store: Store,
  prompt: PromptDocument,
): Promise<readonly StoredMessage[] | null> => {
  if (prompt.first === undefined) return ownMessages(prompt);
  const id = stageId(prompt._id, 'program');
  return (await store.getRequests([id])).get(id)?.messages ?? null;
};

export const readMessages = async (
  store: Pick<Store, 'getTexts'>,
  messages: readonly StoredMessage[],
): Promise<readonly Message[]> => {
  const texts = await store.getTexts(messages.map(({ content }) => content));
  return messages.map(({ role, content }) => ({ role, content: texts.get(content) ?? '' }));
};

export const storeMessages = async (
  store: Pick<Store, 'putTexts'>,
  conversations: readonly (readonly Message[])[],
): Promise<readonly (readonly StoredMessage[])[]> => {
  const refs = await store.putTexts(conversations.flat().map(({ content }) => content));
  let next = 0;
  return conversations.map((messages) => messages.map(({ role }) => ({ role, content: refs[next++]! })));
};
