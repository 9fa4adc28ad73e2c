// A field whose text counts when it is left. Until then it is kept here: news draw the page again, and the field would
// get back what it had, in the middle of a word.
import type { TargetedEvent } from 'preact';
import { useState } from 'preact/hooks';

type Typing = TargetedEvent<HTMLInputElement>;

export const useTyped = (value: string, put: (text: string) => void) => {
  const [typed, set] = useState<string | null>(null);
  return {
    value: typed ?? value,
    onInput: ({ currentTarget }: Typing): void => set(currentTarget.value),
    onChange: ({ currentTarget }: Typing): void => {
      set(null);
      put(currentTarget.value);
    },
    onBlur: (): void => set(null),
  };
};
