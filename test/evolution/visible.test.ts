// Text from outside is shown as what it is: nothing in it acts on a terminal, a page or a table.
// Attempts: messages and the terminal.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inCsv, inJson, inMarkdown, inXml, visible } from '../../evolution/visible.ts';

/** One of each kind: colours, cursor, title, clipboard, C1, direction, separators, zero width, tags, half a pair. */
export const POISON = [
  '\x1b[31m',
  '\x1b[2J\x1b[1;1H',
  '\x1b]0;title\x07',
  '\x1b]52;c;Y29weQ==\x1b\\',
  '\x9b31m',
  '\x7f\b\b\r',
  '\u202e\u2066\u2069\u200e\u200f\u061c',
  '\u2028\u2029\x85',
  '\u200b\u200c\u200d\u2060\ufeff\u00ad',
  '\u{e0041}\u{e007f}\ufe0f',
  '\ud83d',
  '\0',
];
const HARM = /[^\P{Cc}\n\t]|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}/u;
const anyText = fc
  .array(fc.oneof(fc.constantFrom(...POISON), fc.string({ unit: 'binary' })))
  .map((all) => all.join(''));

describe('visible', () => {
  test('shows each kind by its number and leaves the rest', () => {
    expect(visible('\x1b[31mred\u202e\u{e0041}\ud83d')).toBe('\\u{1B}[31mred\\u{202E}\\u{E0041}\\u{D83D}');
    expect(visible('größer ≥ 1,\n\t漢字 🙂 …')).toBe('größer ≥ 1,\n\t漢字 🙂 …');
  });
  test('leaves nothing that acts, and does nothing twice', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(HARM.test(visible(text))).toBe(false);
        expect(visible(visible(text))).toBe(visible(text));
      }),
    );
  });
});

describe('formats', () => {
  test('JSON stays the same document', () => {
    fc.assert(
      fc.property(fc.jsonValue(), anyText, (value, text) => {
        const document = { value, [text]: text };
        const written = inJson(JSON.stringify(document, null, 2));
        expect(HARM.test(written)).toBe(false);
        expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(document)));
      }),
    );
  });
  test('XML has no tag and no end of an attribute', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(inXml(`<script>"${text}`)).not.toMatch(/[<>"]/);
        expect(HARM.test(inXml(text))).toBe(false);
      }),
    );
  });
  test('CSV has one field, and no formula', () => {
    expect(inCsv('a,"b"')).toBe('"a,""b"""');
    expect(inCsv('=HYPERLINK("x")')).toBe(`"'=HYPERLINK(""x"")"`);
    expect([inCsv('m;=cmd'), inCsv('＝1+1'), inCsv(' =1')]).toEqual(['"m;=cmd"', "'＝1+1", "' =1"]);
    expect([inCsv(-1.5), inCsv('-1.5'), inCsv(null), inCsv('\x1b[0m')]).toEqual(['-1.5', '-1.5', '', '\\u{1B}[0m']);
  });
  test('Markdown draws no link, no image and no HTML, and a cell stays a cell', () => {
    expect(inMarkdown('steps 3 of 12 (offline)')).toBe('steps 3 of 12 (offline)');
    expect(inMarkdown('![x](http://x/y.png)')).toBe('`![x](http://x/y.png)`');
    expect(inMarkdown('a | <img src=x>\n# b')).toBe('`a \\| <img src=x> # b`');
    expect(inMarkdown('`` ` [a](b)')).toBe("`'' ' [a](b)`");
    for (const link of ['www.example.com', 'a@b.example', 'see http://x', 'mailto:x'])
      expect(inMarkdown(link)).toBe(`\`${link}\``);
    expect(inMarkdown('generate: 401, excel@best')).toBe('generate: 401, excel@best');
    expect(inMarkdown('x'.repeat(5_000))).toContain('(cut off, of 5000 characters)');
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = inMarkdown(`![a](b) ${text}`);
        expect(HARM.test(shown) || shown.includes('\n')).toBe(false);
        expect(shown).toMatch(/^`[^`]*`$/);
        expect(shown.length).toBeLessThan(2_500);
      }),
    );
  });
});
