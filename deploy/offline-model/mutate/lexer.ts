// Splits Python text into tokens with their places. Text that is not Python still gives tokens.

export type TokenKind = 'name' | 'number' | 'string' | 'operator' | 'comment' | 'newline';

/**
 * `column` counts UTF-16 units from the start of line `line` (0-based); `endLine` differs for strings over several
 * lines.
 */
export type Token = {
  readonly kind: TokenKind;
  readonly text: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
};

const PATTERN = new RegExp(
  [
    String.raw`(?<blank>[ \t\f\r]+|\\\r?\n)`,
    String.raw`(?<newline>\n)`,
    String.raw`(?<comment>#[^\n]*)`,
    String.raw`(?<string>[rRbBuUfFtT]{0,2}(?:"""(?:[^\\]|\\[^])*?(?:"""|$(?![^]))|'''(?:[^\\]|\\[^])*?(?:'''|$(?![^]))|"(?:[^"\\\n]|\\[^])*(?:"|(?=\n)|$(?![^]))|'(?:[^'\\\n]|\\[^])*(?:'|(?=\n)|$(?![^]))))`,
    String.raw`(?<number>0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:(?:\d[\d_]*)?\.\d[\d_]*|\d[\d_]*\.?)(?:[eE][+-]?\d[\d_]*)?[jJ]?)`,
    String.raw`(?<name>[\p{L}_][\p{L}\p{N}_]*)`,
    String.raw`(?<operator>\*\*=|\/\/=|>>=|<<=|\.\.\.|:=|->|==|!=|<=|>=|\+=|-=|\*=|\/=|%=|@=|&=|\|=|\^=|\*\*|\/\/|<<|>>|[^])`,
  ].join('|'),
  'uy',
);

export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const open = /[([{]/,
    close = /[)\]}]/;
  let line = 0,
    lineStart = 0,
    depth = 0,
    at = 0;
  while (at < text.length) {
    PATTERN.lastIndex = at;
    const match = PATTERN.exec(text);
    if (match === null) break;
    const piece = match[0];
    const kind = kindOf(match.groups ?? {});
    const startLine = line,
      column = at - lineStart;
    for (let next = piece.indexOf('\n'); next >= 0; next = piece.indexOf('\n', next + 1)) {
      line += 1;
      lineStart = at + next + 1;
    }
    at += piece.length;
    if (kind === 'operator' && open.test(piece)) depth += 1;
    if (kind === 'operator' && close.test(piece)) depth = Math.max(0, depth - 1);
    if (kind === null || (kind === 'newline' && depth > 0)) continue;
    tokens.push({ kind, text: piece, line: startLine, column, endLine: kind === 'newline' ? startLine : line });
  }
  return tokens;
}

function kindOf(groups: Readonly<Record<string, string | undefined>>): TokenKind | null {
  if (groups['newline'] !== undefined) return 'newline';
  if (groups['comment'] !== undefined) return 'comment';
  if (groups['string'] !== undefined) return 'string';
  if (groups['number'] !== undefined) return 'number';
  if (groups['name'] !== undefined) return 'name';
  return groups['operator'] === undefined ? null : 'operator';
}

export const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from ' +
    'global if import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);
