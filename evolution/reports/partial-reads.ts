// Whether an endpoint reads the whole of its prompts, by the tokens that it counts for them. Some servers cut what is
// longer than their window, and answer all the same.
import { count } from './number-text.ts';
import { sumOf } from '../statistics.ts';

/** A token of prose or code has two to five characters, and where there is much white space a few more. */
const MOST_CHARS_PER_TOKEN = 10;
/** A prompt that is so much longer than another has more tokens for certain. */
const CLEARLY_LONGER = 1.5;

/** The characters of a request's messages, and the tokens that its endpoint counted for them. */
export type Read = { readonly chars: number; readonly tokens: number };

export const charsOf = (messages: readonly { readonly content: string }[]): number =>
  sumOf(messages.map(({ content }) => content.length));

/** The tokens are too few for the characters, or as many for prompts of clearly different lengths. */
export const isReadInPart = (reads: readonly Read[]): boolean => {
  const [chars, tokens] = [reads.map((one) => one.chars), reads.map((one) => one.tokens)];
  return (
    sumOf(tokens) > 0 &&
    (sumOf(chars) > MOST_CHARS_PER_TOKEN * sumOf(tokens) ||
      (new Set(tokens).size === 1 && Math.max(...chars) > CLEARLY_LONGER * Math.min(...chars)))
  );
};

export const readInPart = ({ chars, tokens }: Read): string =>
  `counted ${count(tokens)} tokens for a prompt of ${count(chars)} characters, so that only a part of it seems to be read: give the model a larger window there (Ollama: OLLAMA_CONTEXT_LENGTH), or set a smaller prompt.maxTokens`;
