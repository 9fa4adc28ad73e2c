// Thrown inside the Python lexer, caught by tokenise(): the text is not Python.
export class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly offset: number;
  constructor(message: string, offset: number) { super(message); this.offset = offset; }
}
