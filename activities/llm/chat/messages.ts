// Requests as they are stored, and their texts: all turns of a conversation, and what a group was asked after its
// stages.
import { stageId } from '../../../evolution/ids.ts';
import type { Message } from '../../../evolution/types.ts';
import type { PromptDocument, StoredMessage } from '../../store/step-documents.ts';
import type { Store } from '../../store/store.ts';

/** Of a group without stages: its prompt holds what it is asked. */
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
 * What a group is asked for its programs: after stages the request that they came to. None: the group was refused.
 * Null: nothing is stored yet.
 */
export const programMessages = async (
  store: Store,
  prompt: PromptDocument,
): Promise<readonly StoredMessage[] | null> => {
  if (prompt.first === undefined) return ownMessages(prompt);
  const id = stageId(prompt._id, 'program');
  return (await store.getRequests([id])).get(id)?.messages ?? null;
};

export const readMessages = async (store: Store, messages: readonly StoredMessage[]): Promise<readonly Message[]> => {
  const texts = await store.getTexts(messages.map(({ content }) => content));
  return messages.map(({ role, content }) => ({ role, content: texts.get(content) ?? '' }));
};
