// Text from outside, made safe for terminals, JSON, CSV, XML and Markdown: it may hold commands or hidden letters.

/**
 * Control characters but line end and tab, format characters, separators of lines, halves of surrogate pairs, and
 * characters that are drawn as nothing, with the empty Braille pattern.
 */
export const UNSEEN = /[^\P{Cc}\n\t]|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}|\u2800/gu;

/** Each character that cannot be seen as `\u{...}`, its number in hexadecimal; all others as they are. */
export const visible = (text: string): string =>
  text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)!.toString(16).toUpperCase()}}`);

/** The text of a JSON document with such characters as JSON writes them, so that it stays the same document. */
export const inJson = (document: string): string =>
  document.replace(UNSEEN, (character) =>
    [...Array(character.length).keys()]
      .map((unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`)
      .join(''),
  );

const XML: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** For elements, and for attributes in double quotes, of HTML and SVG. */
export const inXml = (text: string): string => visible(text).replace(/[&<>"]/g, (character) => XML[character]!);

/** A field by RFC 4180. An apostrophe marks a text that a spreadsheet would take for a formula. */
export const inCsv = (value: string | number | null): string => {
  const text = value === null ? '' : visible(String(value));
  const safe =
    typeof value === 'string' && /^\s*[=+\-@\t]/.test(text.normalize('NFKC')) && Number.isNaN(Number(text))
      ? `'${text}`
      : text;
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** Signs that Markdown draws, and beginnings of addresses, which become links by themselves. */
const DRAWN = /[\\`*_[\]<>{}#!|~^&]|:\/\/|www\.|mailto:|xmpp:/i;
const draws = (line: string): boolean => DRAWN.test(line) || (line.includes('@') && line.includes('.'));
const MOST = 1_000;

/** One line, or a cell of a table: plain where Markdown draws nothing, else as code. */
export const inMarkdown = (text: string): string => {
  const line = visible(text.slice(0, MOST).replace(/\s+/g, ' ')).trim();
  const whole =
    text.length > MOST || line.length > MOST
      ? `${line.slice(0, MOST)} ... (cut off, of ${text.length} characters)`
      : line;
  // A backtick would end the code, and a bar the cell of a table even in code.
  return draws(whole) ? `\`${whole.replaceAll('`', "'").replaceAll('|', '\\|')}\`` : whole;
};

const LATEX: { readonly [character: string]: string } = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '|': '\\textbar{}',
  '"': '\\textquotedbl{}',
  '↑': '$\\uparrow$',
  '↓': '$\\downarrow$',
};

/** For text of LaTeX. What its fonts may not have is shown by its number. */
export const inLatex = (text: string): string =>
  visible(text)
    .replace(/[^\n\t -~¡-ſ↑↓]/gu, (character) => `U+${character.codePointAt(0)!.toString(16).toUpperCase()}`)
    .replace(/[\\{}$&#%_~^<>|"↑↓]/g, (character) => LATEX[character] ?? `\\${character}`);
