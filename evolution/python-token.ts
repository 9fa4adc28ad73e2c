// One token of a Python source (python-tokens.ts).

export type Token = {
  /** An f-string is one token; its replacement fields are lexed and spaced canonically inside `text`. */
  readonly kind: 'name' | 'number' | 'string' | 'fstring' | 'op' | 'newline' | 'indent' | 'dedent';
  readonly text: string;
};
