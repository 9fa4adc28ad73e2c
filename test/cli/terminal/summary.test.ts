// What a run leaves in runs/<id>/: with the store in memory, as the end of a run writes it.
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../activities/store/store.ts';
import { settingsFrom } from '../../../cli/flags/settings-flags.ts';
import { circlesOf, circlesSvg, lastWords, writeSummary } from '../../../cli/terminal/summary.ts';
import { runDocument } from '../../support/run-document.ts';

const CODE = 'def f():\n    return 1\n';
const SOLUTION = '{"circles":[[0.25,0.25,0.25],[0.75,0.75,0.2]]}';
const PROGRAM = 'demo:000002:0:000017';

/** Of the store only what the summary reads. */
const storeWith = (solution: string | null): Store =>
  ({
    getPrograms: async () => new Map([[PROGRAM, { _id: PROGRAM, evaluation: 'ev', code: 'c' }]]),
    getEvaluations: async () => new Map([['ev', { solution: solution === null ? null : 's' }]]),
    getTexts: async () =>
      new Map([
        ['c', CODE],
        ['s', solution],
      ]),
  }) as unknown as Store;

const NOW = new Date('2026-11-21T10:02:00Z');
const ended = runDocument({ status: 'finished', stopReason: 'steps', endedAt: NOW });
const write = async (store: Store, run = ended) => {
  const directory = join(mkdtempSync(join(tmpdir(), 'evolve-runs-')), 'demo');
  const files = await writeSummary({ store, run, picture: 'circles-in-unit-square', directory, now: NOW, ui: null });
  return { directory, files, read: (name: string) => readFileSync(join(directory, name), 'utf8') };
};

describe('runs/<id>/', () => {
  test('holds the best program, its solution, its picture, the settings and the summary', async () => {
    const { files, read } = await write(storeWith(SOLUTION));
    expect(files).toEqual(['best.py', 'solution.json', 'best.svg', 'config.yaml', 'summary.json']);
    expect(read('best.py')).toBe(CODE);
    expect(JSON.parse(read('solution.json'))).toEqual(JSON.parse(SOLUTION));
    expect(JSON.parse(read('summary.json'))).toMatchObject({
      run: 'demo',
      state: 'finished',
      programs: 192,
      best: { program: PROGRAM },
    });
    expect(read('best.svg').match(/<circle /g)).toHaveLength(2);
  });

  test('its config.yaml starts the same run again', async () => {
    const { directory } = await write(storeWith(SOLUTION));
    expect(settingsFrom({ config: join(directory, 'config.yaml') }, {}).config).toEqual(ended.config);
  });

  test('without a best program holds no stale one', async () => {
    const { files, directory } = await write(storeWith(null), runDocument({ ...ended, best: null }));
    expect(files).toEqual(['config.yaml', 'summary.json']);
    expect(existsSync(join(directory, 'best.py'))).toBe(false);
  });
});

describe('the last words', () => {
  test('name the files and the commands to go on', () => {
    const text = lastWords(ended, '/r/demo', ['best.py'], NOW).join('\n');
    for (const part of [
      'Run demo finished: limits.steps reached (16)',
      '1.841297346 tolerant',
      'no language model',
      '/r/demo: best.py',
      'npx evolve extend demo --steps 13',
      'npx evolve down',
    ])
      expect(text).toContain(part);
  });

  test('do not make a run without a valid program look like success', () => {
    const text = lastWords(runDocument({ ...ended, totals: { ...ended.totals, valid: 0 } }), '/r/demo', [], NOW).join(
      '\n',
    );
    expect(text).toContain('NO SUCCESS');
    expect(text).toContain('not one new program was valid');
  });
});

describe('the picture', () => {
  test('keeps every circle inside the drawn square and says what it is worth', () => {
    const svg = circlesSvg([[0.25, 0.25, 0.25]], { title: 'a<b', score: 0.25, strictScore: 0.25, detail: 'run "x"' });
    expect(svg).toContain('sum of radii 0.25, strict 0.25, 1 circles');
    expect(svg).toContain('<circle cx="180.00" cy="480.00" r="150.00"');
    expect(svg).toContain('a&lt;b');
    expect(svg).toContain('run &quot;x&quot;');
  });
  test.each([[null], [{}], [{ circles: [] }], [{ circles: [[1, 2]] }], [{ circles: [[1, 2, 'x']] }]])(
    'is not drawn from %j',
    (solution) => {
      expect(circlesOf(solution)).toBeNull();
    },
  );
});
