// The lexer and the equivalence against CPython itself, on real sources and on thousands of damaged ones.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSource } from '../../../evolution/edits/equivalence.ts';
import { rng, type Rng } from '../../../evolution/rng.ts';

const script = join(import.meta.dirname, 'cpython.py');
type View = { readonly tokens: string | null; readonly tree: string | null };
const cpython = (sources: readonly string[]): readonly View[] =>
  JSON.parse(
    execFileSync('python3', [script], { input: JSON.stringify(sources), maxBuffer: 1 << 28 }).toString(),
  ) as View[];

const library = execFileSync('python3', ['-c', 'import sysconfig; print(sysconfig.get_paths()["stdlib"])'])
  .toString()
  .trim();
const files = readdirSync(library)
  .filter((name) => name.endsWith('.py'))
  .sort();
const textOf = (name: string): string => readFileSync(join(library, name), 'utf8');

/** Up to 50 lines from a line that begins at the first column. */
const windowOf = (text: string, random: Rng): string => {
  const lines = text.split('\n');
  const starts = lines.flatMap((line, index) => (/^(def|class|import|@|[a-z])/i.test(line) ? [index] : []));
  const start = random.pick(starts);
  const end = starts.findLast((index) => index > start && index <= start + 50) ?? start + 50;
  return `${lines.slice(start, end).join('\n')}\n`;
};

const SCRAPS = [
  ' ',
  '  ',
  '\n',
  '\t',
  '#',
  '# note\n',
  '\\\n',
  '(',
  ')',
  '[',
  '}',
  '"',
  "'",
  '"""',
  'f"{x + 1}"',
  "f'{a!r:>{w}}'",
  'f"{a = }"',
  ':',
  ';',
  ',',
  '0',
  '0x',
  '1_',
  'é',
  'lambda: 0',
  '"doc"\n',
  'async ',
  '\f',
  '\r\n',
  '$',
  '!',
  '..',
  '->',
  ':=',
];
const damage = (text: string, random: Rng): string => {
  const at = random.int(text.length);
  switch (random.int(5)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1 + random.int(3));
    case 1:
      return text.slice(0, at) + random.pick(SCRAPS) + text.slice(at);
    case 2:
      return onLine(text, random, (line) => `${' '.repeat(random.int(4))}${line.trimStart()}`);
    case 3:
      return onLine(text, random, (line) => (random.int(2) === 0 ? `${line}\n${line}` : `${line}  # ${line}`));
    default:
      return spaced(text, at);
  }
};
const onLine = (text: string, random: Rng, change: (line: string) => string): string => {
  const lines = text.split('\n');
  const index = random.int(lines.length);
  return lines.with(index, change(lines[index]!)).join('\n');
};
/** Doubles the next space, or puts spaces round the next operator: mostly harmless. */
const spaced = (text: string, at: number): string => {
  const offset = text.slice(at).search(/[ =+*,()[\]]/);
  return offset < 0 ? text : `${text.slice(0, at + offset)} ${text[at + offset]} ${text.slice(at + offset + 1)}`;
};

describe('Python tokens', () => {
  it('reads every file of the standard library', () => {
    const refused = files.filter((name) => readSource(textOf(name)).error !== null);
    expect(files.length).toBeGreaterThan(100);
    expect(refused).toEqual([]);
  });

  it('agrees with CPython on which sources are equal and which are no Python', () => {
    const random = rng(7, 'damage');
    const pairs = Array.from({ length: 40 }, (_, index) =>
      windowOf(textOf(files[(index * 7) % files.length]!), random),
    ).flatMap((source) =>
      Array.from({ length: 20 }, () => {
        let variant = damage(source, random);
        while (random.int(3) === 0) variant = damage(variant, random);
        return { source, variant };
      }),
    );
    const views = cpython(pairs.flatMap(({ source, variant }) => [source, variant]));
    const seen = { equal: 0, different: 0, refused: 0 };
    for (const [index, { source, variant }] of pairs.entries()) {
      const [before, after] = [views[2 * index]!, views[2 * index + 1]!];
      const [ours, other] = [readSource(source), readSource(variant)];
      const context = `${other.error ?? ''}\n--- source\n${source}\n--- variant\n${variant}`;
      if (other.error !== null) {
        seen.refused++;
        expect(after.tree, context).toBeNull();
      }
      const equal = ours.norm === other.norm;
      if (other.error === null && ours.error === null && before.tokens !== null && before.tokens === after.tokens)
        expect(equal, context).toBe(true);
      if (equal && ours.error === null) {
        seen.equal++;
        expect(after.tree, context).toBe(before.tree);
      }
      if (!equal && before.tree !== null && after.tree !== null) seen.different++;
    }
    expect(seen.equal).toBeGreaterThan(80);
    expect(seen.different).toBeGreaterThan(50);
    expect(seen.refused).toBeGreaterThan(50);
  });
});
