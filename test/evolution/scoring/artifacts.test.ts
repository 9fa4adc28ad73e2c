// What a request shows of the artifacts of an evaluation.
import { expect, test } from 'vitest';
import { type Artifact, artifactsText } from '../../../evolution/scoring/artifacts.ts';

const text = (name: string, content: string): Artifact => ({ name, kind: 'text', text: content });

test('texts and tables are shown in their order, pictures by name, what acts on a terminal visibly', () => {
  const shown = artifactsText(
    [
      text('log', 'fine\u001b[31m'),
      { name: 'worst', kind: 'table', text: 'case\tgap\na\t1' },
      { name: 'plot.png', kind: 'png', text: 'AAAA' },
    ],
    2_000,
  );
  expect(shown).toBe('log: fine\\u{1B}[31m\nworst:\ncase\tgap\na\t1\nplot.png: (a picture, png)');
});

test('what does not fit shows whole lines of both ends, and says how much is left out', () => {
  const lines = Array.from({ length: 500 }, (_, line) => `case ${line} took ${line / 7}`).join('\n');
  const shown = artifactsText([text('long', lines), text('short', 'whole')], 600);
  expect(shown.length).toBeLessThanOrEqual(600);
  expect(shown).toMatch(/^long:\ncase 0 took 0\n/);
  expect(shown).toMatch(/\n\[\d+ of \d+ characters left out\]\ncase \d+ took/);
  expect(shown).toContain(`case 499 took ${499 / 7}\nshort: whole`);
  expect(
    shown
      .split('\n')
      .filter((line) => line.startsWith('case '))
      .every((line) => lines.split('\n').includes(line)),
  ).toBe(true);
});

test('no room shows nothing, and each size is kept to', () => {
  const all = [text('a', 'x'.repeat(5_000)), text('b', 'y\n'.repeat(300)), text('c', '')];
  expect(artifactsText(all, 10).length).toBeLessThanOrEqual(10);
  for (const most of [0, 50, 100, 200, 1_000, 5_000]) expect(artifactsText(all, most).length).toBeLessThanOrEqual(most);
});
