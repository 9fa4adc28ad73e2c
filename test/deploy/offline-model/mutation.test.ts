// The mutation operator: reproducible, its blocks match uniquely inside the EVOLVE-BLOCK, and most children still compile.
import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { answers } from '../../../deploy/offline-model/answer.ts';
import { NO_FAULTS } from '../../../deploy/offline-model/options.ts';
import { readPrompt } from '../../../deploy/offline-model/prompt.ts';
import { applyBlocks } from '../../../evolution/edits/apply.ts';
import { parseBlocks } from '../../../evolution/edits/diff.ts';
import { buildThetaPrompt } from '../../support/models/prompts.ts';
import { blocksOf, EMPTY_BLOCKS, PARENTS, placesOf, promptOf } from './programs.ts';
import { plainTask } from '../../support/domain/plain-task.ts';

const textOf = (prompt: string, seed: number, options = NO_FAULTS): string =>
  answers([{ role: 'user', content: prompt }], [seed], options)[0]?.text ?? '';

/**
 * Applies the blocks in order and checks on the way that each one matches once, inside the block, and touches no
 * marker.
 */
function applyChecked(program: string, answer: string): string {
  let lines: readonly string[] = program.split(/\r?\n/);
  for (const { search, replace } of blocksOf(answer)) {
    const places = placesOf(lines, search);
    expect(places, `one match of\n${search.join('\n')}`).toHaveLength(1);
    expect(search.join('\n').trim()).not.toBe('');
    expect([...search, ...replace].join('\n')).not.toMatch(/EVOLVE-BLOCK|^(?:<{7} SEARCH|={7}|>{7} REPLACE)\s*$/m);
    const at = places[0] ?? 0;
    const start = lines.findIndex((line) => line.includes('EVOLVE-BLOCK-START')),
      stop = lines.findIndex((line) => line.includes('EVOLVE-BLOCK-END'));
    expect(at).toBeGreaterThan(start);
    if (stop >= 0) expect(at + search.length).toBeLessThanOrEqual(stop);
    lines = [...lines.slice(0, at), ...replace, ...lines.slice(at + search.length)];
  }
  return lines.join('\n');
}

describe('programs with the line `# next`', () => {
  const parent = `# EVOLVE-BLOCK-START\nd = "4545"\nd = "0909"\n# next\n# EVOLVE-BLOCK-END\n\nprint(d)\n`;
  const all = Array.from({ length: 400 }, (_, seed) => textOf(promptOf(parent), seed));

  test('get one more row above it, with the same SEARCH in every answer', () => {
    for (const answer of all) {
      expect(answer).toMatch(/^<{7} SEARCH\n# next\n={7}\nd = "\d{4}"\n# next\n>{7} REPLACE$/);
      expect(applyChecked(parent, answer).split('\n').slice(0, 3)).toEqual(parent.split('\n').slice(0, 3));
    }
  });

  test('their digits are uniform', () => {
    const digits = all.flatMap((answer) => [...answer.match(/"(\d{4})"/)![1]!].map(Number));
    const counts = Array.from({ length: 10 }, (_, digit) => digits.filter((other) => other === digit).length);
    // Chi-square with 9 degrees of freedom is below 27.9 in 999 of 1,000 draws; the draws are always the same ones.
    expect(counts.reduce((sum, count) => sum + (count - 160) ** 2 / 160, 0)).toBeLessThan(27.9);
  });

  test('without a row above the line, programs are mutated as ever', () => {
    expect(textOf(promptOf(parent.replaceAll(/d = "\d+"/g, 'd = 12.5')), 1)).toContain('Random mutation');
  });
});

describe('answers of the mutation operator', () => {
  test('the same prompt and seed give the same answer, other seeds others', () => {
    const prompt = promptOf(PARENTS['packing'] ?? '');
    expect(textOf(prompt, 7)).toBe(textOf(prompt, 7));
    expect(new Set(Array.from({ length: 50 }, (_, seed) => textOf(prompt, seed))).size).toBeGreaterThan(45);
    expect(textOf(`${prompt} `, 7)).not.toBe(textOf(prompt, 7));
  });

  test('choice j of seed s is choice 0 of seed s + j', () => {
    const prompt = promptOf(PARENTS['small'] ?? '');
    const many = answers([{ role: 'user', content: prompt }], [40, 41, 42, 43], NO_FAULTS).map(({ text }) => text);
    expect(many).toEqual([40, 41, 42, 43].map((seed) => textOf(prompt, seed)));
  });

  test('imports and docstrings inside the block stay as they are', () => {
    const parent = `# EVOLVE-BLOCK-START
"""A method with 2 ideas."""
import math, cmath
from random import (
    Random,
)
from b import c
x = 1.5
y = x + 2

def a(n):
    """Docs of a, 3."""
    try:
        import numpy as np
        z = np.ones(4)
    except ImportError:
        z = 2.5
    return z * math.pi + c
# EVOLVE-BLOCK-END
`;
    const fixed = parent.split('\n').filter((line) => /import|"""|Random/.test(line));
    const other = parent
      .replace('from b import c\n', 'import d\nfrom e import c\n')
      .replace('np.ones(4)', 'np.ones(5)');
    const children = Array.from({ length: 150 }, (_, seed) =>
      applyChecked(parent, textOf(promptOf(parent, seed % 2 === 0 ? [other] : []), seed)),
    );
    expect(new Set(children).size).toBeGreaterThan(60);
    for (const child of children) {
      const lines = new Set(child.split('\n').map((line) => line.trim()));
      expect(fixed.filter((line) => !lines.has(line.trim()))).toEqual([]);
    }
  });

  test.each(Object.keys(PARENTS))('every block matches once and inside the block: %s', (name) => {
    const parent = PARENTS[name] ?? '';
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), fc.boolean(), (seed, withOthers) => {
        const answer = textOf(
          promptOf(parent, withOthers ? [PARENTS['packing'] ?? '', PARENTS['awkward'] ?? ''] : []),
          seed,
        );
        expect(blocksOf(answer).length).toBeGreaterThan(0);
        expect(applyChecked(parent, answer)).not.toBe(parent.replaceAll('\r\n', '\n'));
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  test.each(EMPTY_BLOCKS)('nothing that may be changed: prose without blocks (%#)', (program) => {
    expect(blocksOf(textOf(promptOf(program), 1))).toEqual([]);
  });

  test('a prompt without a program gets prose', () => {
    expect(blocksOf(textOf('Hello', 1))).toEqual([]);
  });

  test('more than 85 % of the children compile', () => {
    const children = ['packing', 'small', 'awkward'].flatMap((name) =>
      Array.from({ length: 200 }, (_, seed) => {
        const parent = PARENTS[name] ?? '';
        return applyChecked(parent, textOf(promptOf(parent, seed % 2 === 0 ? [PARENTS['small'] ?? ''] : []), seed));
      }),
    );
    const count =
      'import json, sys, warnings\nwarnings.simplefilter("ignore")\nok = 0\nfor code in json.load(sys.stdin):\n    try:\n        compile(code, "child", "exec"); ok += 1\n    except Exception: pass\nprint(ok)';
    const compiled = Number(
      execFileSync('python3', ['-c', count], { input: JSON.stringify(children), encoding: 'utf8' }),
    );
    expect(compiled / children.length).toBeGreaterThan(0.85);
  });

  test('trivial answers never repeat and keep the size of the program, also over generations', () => {
    const options = { ...NO_FAULTS, trivial: true };
    for (const name of ['packing', 'repeated', 'crlf']) {
      let parent = PARENTS[name] ?? '';
      const seen = new Set<string>();
      for (let generation = 0; generation < 20; generation += 1) {
        const children = answers([{ role: 'user', content: promptOf(parent) }], [0, 1, 2, 3, 4, 5, 6, 7], options).map(
          ({ text }) => applyChecked(parent, text ?? ''),
        );
        for (const child of children) {
          expect(seen.has(child)).toBe(false);
          seen.add(child);
        }
        parent = children[generation % 8] ?? parent;
      }
      expect(parent.length).toBeLessThan((PARENTS[name] ?? '').length + 40);
    }
  });
});

describe('reading the prompt', () => {
  test.each(['packing', 'small', 'awkward', 'noMarkers'])(
    'the prompt of method theta: parent, partners, and edits that the run can apply: %s',
    (name) => {
      const code = PARENTS[name] ?? '';
      const shown = { code, outcome: 'valid', score: 1.25, metrics: { runtime_s: 0.1 } } as const;
      const task = plainTask({
        id: 't',
        title: 't',
        scoreName: 'sum',
        limits: { cpuSeconds: 60, wallSeconds: 90, memoryBytes: 1, outputBytes: 1, pids: 1, cores: 1 },
        initialProgram: code,
      });
      const { system, user } = buildThetaPrompt({
        task,
        stated: { problem: 'Pack:\n\nmore', advice: '' },
        parent: shown,
        prior: [{ ...shown, code: 'x = 1' }],
      });
      const read = readPrompt(`${system}\n${user}`);
      expect(read).toEqual({ parent: code.trimEnd(), others: ['x = 1'] });
      for (let seed = 0; seed < 40; seed += 1) {
        const answer = textOf(user, seed);
        const { applied, unmatched } = applyBlocks(code, parseBlocks(answer), { enforceBlock: true, strict: false });
        expect({ applied, unmatched }).toEqual({ applied: blocksOf(answer).length, unmatched: [] });
      }
    },
  );
  test('the program under the heading of the current program is the parent, the others are partners', () => {
    const prompt = promptOf('# EVOLVE-BLOCK-START\nx = 1\n# EVOLVE-BLOCK-END', ['y = 2', 'z = 3']);
    expect(readPrompt(prompt)).toEqual({
      parent: '# EVOLVE-BLOCK-START\nx = 1\n# EVOLVE-BLOCK-END',
      others: ['y = 2', 'z = 3'],
    });
  });
  test('without a heading the last program with the marker, else the last before the edit rules', () => {
    expect(readPrompt('```python\n# EVOLVE-BLOCK-START\na = 1\n```\n\n```python\nb = 2\n```').parent).toContain(
      'a = 1',
    );
    expect(
      readPrompt('```python\na = 1\n```\n```\n<<<<<<< SEARCH\nq\n=======\n>>>>>>> REPLACE\n```\n```python\nb = 2\n```')
        .parent,
    ).toBe('a = 1');
  });
  test('longer fences hold programs with fences inside', () => {
    expect(readPrompt('Current program:\n````python\ns = """\n```\n"""\n````\n').parent).toBe('s = """\n```\n"""');
  });
});
