// In which language a program is written, read from its own text: the sign before its EVOLVE-BLOCK marker begins comments in it.
// Called where programs are shown, compared and told how to be edited.

export type Language = {
  /** Begins a comment that reaches to the end of the line. */
  readonly comment: '#' | '//';
  /** The word behind the fence of a program in a prompt; none where only the sign is known. */
  readonly fence: 'python' | '';
};

const PYTHON: Language = { comment: '#', fence: 'python' };
const OTHER: Language = { comment: '//', fence: '' };

export const languageOf = (code: string): Language => (/^[ \t]*\/\/[ \t]*EVOLVE-BLOCK-START\b/m.test(code) ? OTHER : PYTHON);
