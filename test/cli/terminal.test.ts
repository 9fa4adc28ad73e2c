// What a terminal shows: tables and blocks that fit its window, folded prose, colours for states; plain whole lines
// elsewhere.
// Attempts: messages and the terminal.
import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import { describe, expect, test, vi } from 'vitest';
import { displayFor } from '../../cli/follow/watch-run.ts';
import { liveBlock, within } from '../../cli/terminal/live.ts';
import { progressBlock } from '../../cli/terminal/progress.ts';
import { runTable } from '../../cli/terminal/run-table.ts';
import { blockPaint, cutMiddle, folded, shown, statePaint, urlText, widthOf } from '../../cli/terminal/screen.ts';
import { headed, table } from '../../cli/terminal/table.ts';
import { runReport } from '../../client/read/report.ts';
import { runDocument, watchState } from '../support/domain/run-document.ts';
import { Screen } from '../support/machine/screen.ts';

const NOW = new Date('2026-11-21T10:01:30Z');
const LONG = `${'theta-circle-packing-square-26-with-a-name-of-sixty-chara'.slice(0, 54)}-x3f9k`;
const longest = (lines: readonly string[]): number => Math.max(...lines.map((line) => line.length));
const stateOf = (changes: Parameters<typeof runDocument>[0] = {}) =>
  watchState({
    run: runDocument({ run: LONG, ...changes }),
    perMinute: 60,
    temporalUrl: `http://127.0.0.1:8233/namespaces/default/workflows/run%2F${LONG}`,
  });

describe('tables', () => {
  const reports = ['running', 'needs attention', 'finished'] as const;
  const runs = reports.map((status) =>
    runReport(
      runDocument({
        run: LONG,
        status,
        sweep: 'bins',
        ...(status === 'needs attention' ? { statusReason: `generate: ${'401 '.repeat(40)}` } : {}),
      }),
      NOW,
      null,
    ),
  );
  test.each([[120], [80], [60], [40]])('nothing of the list is wider than %i columns', (width) => {
    const lines = runTable(runs, width);
    expect(lines.filter((line) => line.startsWith('    '))).toHaveLength(1);
    expect(longest(lines)).toBeLessThanOrEqual(width);
    expect(lines[0]).toMatch(/^run +state/);
    expect(lines.filter((line) => line.includes('…')).length).toBeGreaterThanOrEqual(reports.length);
  });
  test('without a width every column is whole', () => {
    const lines = runTable(runs);
    expect(lines[0]).toMatch(/^run +state +best +steps +programs +task +method +of +created \(UTC\)$/);
    expect(lines.join('\n')).toContain(LONG);
    expect(lines.join('\n')).not.toContain('…');
  });
  test('columns go by their need, and the last line names them; numbers are not cut', () => {
    const rows = [
      ['id', 'best', 'note', 'made'],
      ['abcdefghijklmnopqrstuvwxyz', '1.841297346', 'some words', '12'],
    ];
    expect(table(rows, { width: 36, drop: ['note', 'made'], cut: { id: 10 } })).toEqual([
      'id                        best  made',
      'abcdefgh…stuvwxyz  1.841297346    12',
      'without 1 column: --json shows all',
    ]);
    expect(table(rows, { width: 20, drop: ['note', 'made'], cut: { id: 7 } })[1]).toBe('abc…xyz  1.841297346');
  });
  test('colours do not count as width', () => {
    const red = (text: string): string => `\x1b[31m${text}\x1b[39m`;
    expect(
      table(
        [
          ['state', 'n'],
          ['paused', '1'],
        ],
        { paint: { state: red } },
      )[1],
    ).toBe(`${red('paused')}  1`);
  });
  test('numbers stand with their points below each other, with as many digits in each', () => {
    const column = (...cells: readonly string[]) => table([['n'], ...cells.map((cell) => [cell])]).slice(1);
    expect(column('1.88036161', '0.1', 'none', '12')).toEqual([
      ' 1.88036161',
      ' 0.10000000',
      '       none',
      '12.00000000',
    ]);
    expect(column('1.5 ↑', '12 ↑', '-')).toEqual([' 1.5 ↑', '12.0 ↑', '   -']);
    expect(column('1.66 ± 0.18', '1.7')).toEqual(['1.66 ± 0.18', '1.70']);
    expect(column('4:29', '12:03:59')).toEqual(['    4:29', '12:03:59']);
    expect(column('384', '90.7 k')).toEqual(['   384', '90.7 k']);
    // Of scores of unlike scales none gets digits that nobody knows.
    expect(column('3466.22', '0.007557677009')).toEqual(['3466.22', '   0.007557677009']);
    expect(column('3', 'theta')).toEqual(['3', 'theta']);
  });
  test('a table that is longer than its window has its head in every window', () => {
    const lines = headed(table([['run'], ...Array.from({ length: 100 }, (_, index) => [`run-${index}`])]), 24);
    // One line is that of the prompt.
    for (let first = 0; first + 23 <= lines.length; first += 1) expect(lines.slice(first, first + 23)).toContain('run');
    expect(lines.filter((line) => line !== 'run')).toHaveLength(100);
    expect(headed(['run', 'a'], 24)).toEqual(['run', 'a']);
    expect(headed(['run', ...'abcdefghijklmnopqrstuvwxyz'])).toHaveLength(27);
  });
  test('times are local, and their zone is named once', () => {
    const at = new Date('2026-11-21T10:00:00Z');
    vi.stubEnv('TZ', 'America/New_York');
    try {
      const parked = { since: at.toISOString(), tries: 2, next: '2026-11-21T10:04:29Z', trying: false };
      const run = runDocument({ status: 'needs attention', statusReason: 'generate: 401', parked });
      const [head, ...rows] = runTable([runReport(run, NOW, null)], Infinity, undefined, at);
      expect(head).toMatch(/created \(EST\)$/);
      expect(rows.join('\n')).toMatch(/2026-11-21 05:00$/m);
    } finally {
      vi.unstubAllEnvs();
    }
  });
  test('both ends of an id tell', () => expect(cutMiddle('abcdefghij', 5)).toBe('ab…ij'));
});

describe('prose', () => {
  test('is folded under its second column', () => {
    expect(folded(`  best      ${'word '.repeat(30).trim()}`, 60)).toEqual([
      `  best      ${'word '.repeat(9).trim()}`,
      `            ${'word '.repeat(9).trim()}`,
      `            ${'word '.repeat(9).trim()}`,
      `            ${'word '.repeat(3).trim()}`,
    ]);
    expect(folded('short', 80)).toEqual(['short']);
    expect(folded('x '.repeat(500), Infinity)).toHaveLength(1);
  });
  test('a command that is folded is still one command', () => {
    const lines = folded(`  npx evolve extend ${LONG} --steps 13  more steps`, 70);
    expect(lines).toEqual(['  npx evolve extend \\', `  ${LONG} \\`, '  --steps 13', '      more steps']);
    expect(longest(lines)).toBeLessThanOrEqual(70);
  });
  test('an address that does not fit becomes the UI and the workflow', () => {
    const url = `http://127.0.0.1:8233/namespaces/default/workflows/run%2F${LONG}`;
    expect(urlText(url, Infinity)).toBe(url);
    expect(urlText(url, 72).startsWith('http://127.0.0.1:8233  workflow run/theta-')).toBe(true);
    expect(urlText(url, 72).length).toBeLessThanOrEqual(72);
  });
});

const watched = (columns: number, rows: number) => {
  const screen = new Screen(columns, rows);
  screen.write('before\n');
  return { screen, block: liveBlock(screen as unknown as NodeJS.WriteStream) };
};

describe('the live block', () => {
  const shownAt = (columns: number, rows: number, state = stateOf()) => within(progressBlock(state, columns), rows);
  test.each([
    [80, 24],
    [80, 8],
    [40, 5],
    [20, 3],
    [10, 1],
  ])('fits a window of %i x %i', (columns, rows) => {
    const lines = shownAt(columns, rows - 1);
    expect(lines.length).toBeLessThanOrEqual(Math.max(1, rows - 1));
    expect(longest(lines)).toBeLessThanOrEqual(columns);
  });
  test('what a person must know goes last', () => {
    const labels = shownAt(80, 4).map((line) => line.slice(0, 4).trim());
    expect(labels).toEqual(['run', 'step', 'made', 'best']);
    const parked = shownAt(80, 5, stateOf({ status: 'needs attention', statusReason: 'generate: 401' }));
    expect(parked.map((line) => line.slice(0, 4).trim())).toEqual(['run', 'step', 'made', 'best', 'look']);
  });

  test('is redrawn in place and never floods a low window', () => {
    const { screen, block } = watched(80, 6);
    for (let step = 1; step <= 50; step += 1)
      block.draw((columns) => [
        ...progressBlock(stateOf({ committedStep: step }), columns),
        '',
        'Ctrl-C stops watching',
      ]);
    expect(screen.text.filter((line) => line.startsWith('run '))).toHaveLength(1);
    expect(screen.text.find((line) => line.startsWith('step'))).toContain('50');
    expect(screen.scrolledAway).toEqual(['before']);
    block.end();
  });
  test('a window that changes is drawn anew at once, with nothing of the block left over', () => {
    const { screen, block } = watched(100, 30);
    block.draw((columns) => progressBlock(stateOf(), columns));
    for (const [columns, rows] of [
      [60, 30],
      [40, 12],
      [90, 6],
      [100, 30],
    ] as const) {
      screen.resize(columns, rows);
      expect(
        screen.text.filter((line) => line.startsWith('run ')),
        `${columns} x ${rows}`,
      ).toHaveLength(1);
      expect(
        screen.text.filter((line) => line.startsWith('best ')),
        `${columns} x ${rows}`,
      ).toHaveLength(1);
      expect(longest(screen.text)).toBeLessThanOrEqual(columns);
    }
    block.end();
    expect(screen.listenerCount('resize')).toBe(0);
  });
});

describe('colours and pipes', () => {
  const terminal = Object.assign(new PassThrough(), {
    isTTY: true,
    columns: 72,
    getColorDepth: WriteStream.prototype.getColorDepth,
  });
  const withEnv = <T>(changes: Readonly<Record<string, string>>, work: () => T): T => {
    for (const name of ['NO_COLOR', 'FORCE_COLOR', 'NODE_DISABLE_COLORS', 'CI']) vi.stubEnv(name, undefined);
    for (const [name, value] of Object.entries({ TERM: 'xterm-256color', ...changes })) vi.stubEnv(name, value);
    try {
      return work();
    } finally {
      vi.unstubAllEnvs();
    }
  };
  test('a state is coloured on a terminal, unless NO_COLOR is set or the output is a pipe', () => {
    expect(withEnv({}, () => shown(statePaint(terminal)('running')))).toBe('\x1b[36mrunning\x1b[39m');
    expect(withEnv({ NO_COLOR: '1' }, () => statePaint(terminal)('running'))).toBe('running');
    expect(withEnv({}, () => statePaint(new PassThrough())('running'))).toBe('running');
    expect(withEnv({}, () => statePaint(terminal)('no state'))).toBe('no state');
  });
  test('a block shows its state and what wants attention', () => {
    const lines = withEnv({}, () =>
      progressBlock(stateOf({ status: 'needs attention', statusReason: '401' }), 80)
        .map(blockPaint(terminal))
        .map(shown),
    );
    expect(lines[0]).toContain('\x1b[31mneeds attention\x1b[39m');
    expect(lines.find((line) => line.includes('look'))).toContain('\x1b[31m401\x1b[39m');
  });
  test('a colour, a title and a turned direction of a candidate do not pass, ours beside them do', () => {
    const evil = 'a\x1b[31mb\x1b]0;c\x07\u202ed\x9b2J';
    expect(shown(`running ${evil}`)).toBe('running a\\u{1B}[31mb\\u{1B}]0;c\\u{7}\\u{202E}d\\u{9B}2J');
    expect(withEnv({}, () => shown(statePaint(terminal)(`running ${evil}`)))).toBe(
      `\x1b[36m${shown(`running ${evil}`)}\x1b[39m`,
    );
    const rows = table(
      [
        ['run', 'state'],
        [evil, 'paused\r\n'],
      ],
      { width: 80 },
    );
    expect(rows.join('\n')).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
  });
  test('a block that is redrawn in place stays one, whatever its texts hold', () => {
    const { screen, block } = watched(60, 12);
    const poisoned = stateOf({
      status: 'needs attention',
      statusReason: `\x1b[2J\x1b[H\u202e${'x\r\n'.repeat(20)}\x1b[1A`,
    });
    for (let time = 0; time < 3; time += 1) block.draw((columns) => progressBlock(poisoned, columns));
    expect(screen.text.filter((line) => line.startsWith('run '))).toHaveLength(1);
    expect(screen.text.join('\n')).toContain('\\u{1B}[2J');
    expect(longest(screen.text)).toBeLessThanOrEqual(60);
    block.end();
  });
  test('a pipe has no width, and gets plain lines', () => {
    expect(widthOf(terminal)).toBe(72);
    const pipe = new PassThrough();
    expect(widthOf(pipe)).toBe(Infinity);
    displayFor(pipe as unknown as NodeJS.WriteStream, {}).show(stateOf());
    expect(String(pipe.read())).toMatch(/^step 3.*\n$/);
  });
});
