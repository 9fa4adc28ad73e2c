// Text in a Markdown fence that nothing in the text can close. Called by the prompts of `research` and `code`.
import { languageOf } from '../language.ts';

/** The text verbatim, its last line end included; the fence is longer than any run of backticks in it. */
export const fenced = (text: string, language: string): string => {
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
};

/** A program, its fence named after its language where that is known. */
export const fencedProgram = (code: string): string => fenced(code, languageOf(code).fence);
