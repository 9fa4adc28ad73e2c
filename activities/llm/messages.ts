// Stored messages with their texts. Called by generate.ts and ask.ts.
import type { Message } from '../../evolution/types.ts';
import type { StoredMessage } from '../store/documents.ts';
import type { Store } from '../store/store.ts';

export const readMessages = async (store: Store, messages: readonly StoredMessage[]): Promise<readonly Message[]> => {
  const texts = await store.getTexts(messages.map(({ content }) => content));
  return messages.map(({ role, content }) => ({ role, content: texts.get(content) ?? '' }));
};
