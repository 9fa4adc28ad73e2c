// From the idea model's answer to an idea (AlphaResearch, section 2, Idea). Called where a response of the idea role is read.

/** A line that opens or closes a Markdown fence: nothing of it is text. */
const FENCE_LINE = /^\s*(`{3,}[^`]*|~{3,}.*)$/;

/** The answer, trimmed and without fence lines, however long. Empty: the round ends as `idea_failed`. `answer`: without the reasoning (readAnswer). */
export const parseIdea = (answer: string): string =>
  answer.replaceAll('\r\n', '\n').split('\n').filter((line) => !FENCE_LINE.test(line)).join('\n').trim();
