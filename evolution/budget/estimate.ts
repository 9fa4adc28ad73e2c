// How many tokens a text has, where no endpoint says it: about one for four bytes of UTF-8. It is what a request counts
// with until its usage is known, so it need not be exact, and it must never be nothing.

/** 0 for an empty text. */
export const estimateTokens = (text: string): number => Math.ceil(utf8Bytes(text) / 4);

const utf8Bytes = (text: string): number => {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
  }
  return bytes;
};

/** Each message has a few tokens beside its text. */
const PER_MESSAGE = 4;

export const estimatePrompt = (messages: readonly { readonly content: string }[]): number =>
  messages.reduce((sum, { content }) => sum + PER_MESSAGE + estimateTokens(content), 0);
