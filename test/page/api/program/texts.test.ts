// Texts as a page draws them: cut by colours without loss, searched as they stand, and harmless whatever they hold.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineStarts, piecesOf, coloursOf } from '../../../../page/api/program/colours.ts';
import { typedId } from '../../../../page/api/program/programs.ts';
import { pictureOf } from '../../../../page/api/pictures/solution.ts';
import { patternOf, searchIn } from '../../../../page/api/rows/search.ts';
import { copyWords, exactMoment, moment, shown } from '../../../../page/view/base/text.ts';

const ranges = fc
  .array(fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 6 }), fc.nat(7)), { maxLength: 12 })
  .map((drawn) => {
    let at = 0;
    return Uint32Array.from(
      drawn.flatMap(([gap, length, is]) => {
        const from = at + gap;
        at = from + length;
        return [from, at, is];
      }),
    );
  });

describe('coloured code', () => {
  it('is the code, wherever it is cut', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 100, maxLength: 100 }),
        ranges,
        fc.nat(100),
        fc.nat(100),
        (code, found, a, b) => {
          const [from, to] = [Math.min(a, b), Math.max(a, b)];
          const pieces = piecesOf(code, found, from, to);
          expect(pieces.map(({ text }) => text).join('')).toBe(code.slice(from, to));
        },
      ),
    );
    const coloured = piecesOf('def f(): pass', Uint32Array.of(0, 3, 0, 4, 5, 5), 0, 13);
    expect(coloured.map(({ is }) => is)).toEqual(['keyword', null, 'definition', null]);
  });

  it('has its lines', () => {
    for (const text of ['', 'a', 'a\n', 'a\nb', '\n\n', 'a\r\nb\n']) {
      const starts = lineStarts(text);
      expect(
        starts
          .slice(0, -1)
          .map((start, line) => text.slice(start, starts[line + 1]))
          .join(''),
      ).toBe(text);
    }
  });
});

describe('the colours of Python', () => {
  const coloured = (code: string) =>
    piecesOf(code, coloursOf(code, 'python'), 0, code.length)
      .filter(({ is }) => is !== null)
      .map(({ text, is }) => `${is} ${text}`);

  it('are those of its tokens', () => {
    expect(coloured('def f(x):  # not "a string"\n    return np.max(x) + 1.5e-3')).toEqual([
      ...['keyword def', 'definition f', 'operator :', 'comment # not "a string"', 'keyword return'],
      ...['name max', 'operator +', 'number 1.5e-3'],
    ]);
    expect(coloured('a = rb"\\"x" + \'#\'')).toEqual(['operator =', 'string rb"\\"x"', 'operator +', "string '#'"]);
    expect(coloured('"""two\nlines"""\nNone')).toEqual(['string """two\nlines"""', 'number None']);
    // A string that is not ended is one up to the end of its line.
    expect(coloured("x = 'open\nif y: pass")).toEqual([
      'operator =',
      "string 'open",
      'keyword if',
      'operator :',
      'keyword pass',
    ]);
    expect(coloured('re.match(a); match = 1; obj.class_')).toEqual(['name match', 'operator =', 'number 1']);
  });

  it('are ascending ranges within the text, whatever it is', () => {
    const token = fc.constantFrom(
      '"',
      "'",
      '"""',
      '\\',
      '#',
      '\n',
      ' ',
      'def',
      'x1',
      '.5',
      '0x',
      'é',
      '\u202e',
      '💥',
      '(',
      '@',
      '-',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 60 }), (parts) => {
        const code = parts.join('');
        const ranges = coloursOf(code, 'python');
        let last = 0;
        for (let at = 0; at < ranges.length; at += 3) {
          expect(ranges[at]).toBeGreaterThanOrEqual(last);
          expect(ranges[at + 1]).toBeGreaterThan(ranges[at]!);
          last = ranges[at + 1]!;
        }
        expect(last).toBeLessThanOrEqual(code.length);
      }),
    );
    // A line of a million characters is one piece, and takes no stack.
    expect(coloursOf(`"${'\\a'.repeat(500_000)}`, 'python')).toHaveLength(3);
  });
});

describe('the colours of JavaScript', () => {
  const coloured = (code: string, language = 'javascript') =>
    piecesOf(code, coloursOf(code, language), 0, code.length)
      .filter(({ is }) => is !== null)
      .map(({ text, is }) => `${is} ${text}`);

  it('are those of its tokens', () => {
    expect(coloured('function f(x) { /* two\nlines */ return Math.max(x, null) ?? `a\n"b"`; } // end')).toEqual([
      ...['keyword function', 'definition f', 'comment /* two\nlines */', 'keyword return', 'name max'],
      ...['number null', 'operator ??', 'string `a\n"b"`', 'comment // end'],
    ]);
    expect(coloured("for (const $a of 'x') of = 1e3")).toEqual([
      ...['keyword for', 'keyword const', 'keyword of', "string 'x'", 'operator =', 'number 1e3'],
    ]);
  });

  it('of another language are none', () => {
    expect(coloured('fn main() { let x = "a"; }', 'rust')).toEqual([]);
    expect(coloured('def f(): pass', 'constructor')).toEqual([]);
  });
});

describe('the id of a program that is typed', () => {
  it.each([
    ['3:0:12', 'demo:000003:0:000012'],
    [' other:run:000003:1:000012 ', 'other:run:000003:1:000012'],
    ['demo', null],
    ['3:0', null],
    ['', null],
  ])('%j is %s', (text, id) => {
    expect(typedId(text, 'demo')).toBe(id);
  });
});

describe('search', () => {
  const texts = {
    code: 'import math\n\ndef Place_Centres(n):\n    return a.b(n)  # 50%\n',
    change: {
      summary: { from: '', to: 'hexagons in the corners' },
      plan: [{ component: 'radius', oldLogic: 'x', newLogic: 'y', hypothesis: 'denser' }],
    },
    idea: 'Use (symmetry)',
  };
  const all = ['code', 'deltas', 'ideas'] as const;

  it('finds a text as it stands, whatever the case of its letters', () => {
    expect(searchIn(texts, patternOf('place_centres('), all)).toEqual({
      where: 'code',
      excerpt: 'def Place_Centres(n):',
    });
    expect(searchIn(texts, patternOf('DENSER'), all)?.where).toBe('deltas');
    expect(searchIn(texts, patternOf('DENSER'), ['code', 'ideas'])).toBeNull();
    expect(searchIn(texts, patternOf('(symmetry)'), all)).toEqual({ where: 'ideas', excerpt: 'Use (symmetry)' });
    // A dot stands for a dot.
    expect(searchIn(texts, patternOf('a.c'), all)).toBeNull();
    expect(searchIn({ code: null, idea: null }, patternOf('a'), all)).toBeNull();
  });

  it('takes any text literally and shows a bounded excerpt with it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 60 }), fc.string(), fc.string(), (needle, before, after) => {
        const found = searchIn({ code: before + needle + after, idea: null }, patternOf(needle), ['code']);
        expect(found).not.toBeNull();
        expect(found!.excerpt.length).toBeLessThanOrEqual(122);
      }),
    );
    expect(
      searchIn({ code: `${'x'.repeat(1_000_000)}needle`, idea: null }, patternOf('needle'), ['code'])!.excerpt,
    ).toContain('needle');
  });
});

describe('hostile texts', () => {
  // Attempt: the page and the network.
  it('keep nothing that would change how other text looks', () => {
    const hostile = '\u202Eabc\u2066\u001b[31m\u0000\u200b\ufeff</script>\u2028';
    expect(shown(hostile)).toBe('⟨U+202E⟩abc⟨U+2066⟩⟨U+001B⟩[31m⟨U+0000⟩⟨U+200B⟩⟨U+FEFF⟩</script>⟨U+2028⟩');
    expect(shown('a\tb\nc')).toBe('a\tb\nc');
    // Letters that are drawn as nothing carry hidden words; what makes a sign an emoji does not.
    expect(shown('a\u{e0041}\u00ad\u2800b')).toBe('a⟨U+E0041⟩⟨U+00AD⟩⟨U+2800⟩b');
    expect(shown('⚠\ufe0f x\ufe0f')).toBe('⚠\ufe0f x⟨U+FE0F⟩');
  });

  it('cannot get out of a picture', () => {
    const about = {
      title: '"><script>alert(1)</script>',
      score: 1,
      strictScore: null,
      picture: 'circles-in-unit-square' as const,
    };
    const circles = pictureOf('{"circles": [[0.5, 0.5, 0.5]]}', about)!;
    expect(circles.says).toBe('1 circle in the unit square');
    for (const solution of [
      '{"circles": [[0.5, 0.5, 0.5]]}',
      '{"heights": [1, 2, -3]}',
      '{"points": [[0, 0], [1, 2]]}',
    ])
      expect(pictureOf(solution, about)!.svg).not.toContain('<script');
  });

  it('are no picture where they are no solution', () => {
    const about = { title: 'x', score: 1, strictScore: null, picture: null };
    for (const solution of [
      '',
      '{',
      'null',
      '[]',
      '{"heights": ["<b>", 1]}',
      '{"points": [[1, 2, 3], [1]]}',
      '{"heights": [1e999, 2]}',
    ])
      expect(pictureOf(solution, about)).toBeNull();
    expect(
      pictureOf(JSON.stringify({ heights: Array.from({ length: 100_000 }, (_, at) => at) }), about)!.svg.length,
    ).toBeLessThan(60_000);
  });
});

describe('times in words', () => {
  const at = new Date(2026, 10, 23, 22, 21, 7);
  it('have seconds in the list of events', () => expect(exactMoment(at)).toBe('2026-11-23 22:21:07'));
  it('say of a copy when it was written, and of what', () => {
    expect(copyWords('first', at.toISOString())).toContain(
      `a copy of the page of run first, written on ${moment(at)}.`,
    );
    expect(copyWords(null, at.toISOString())).toContain('This is a copy, written on');
  });
});
