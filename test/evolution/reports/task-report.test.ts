// Runs beside reference values: which value stands where, what is signed, and that every form holds the same.
import { describe, expect, test } from 'vitest';
import {
  LEAST_FIRST,
  reportCsv,
  reportLatex,
  reportMarkdown,
  reportRow,
  reportTable,
  sumTables,
  taskTables,
} from '../../../evolution/reports/task-report.ts';
import { methodSummaries, percent, spreadTable, taskSpreads } from '../../../evolution/reports/method-summary.ts';
import type { Direction } from '../../../evolution/types.ts';
import { reportedRun } from '../../support/domain/reported-run.ts';

const run = reportedRun({
  best: 12.9,
  bestStrict: 12.95,
  hidden: 12.96,
  hiddenInitial: 600.5,
  hiddenDirection: 'minimise',
});
const reference = (name: string, value: number, more: object) => ({
  name,
  value,
  source: 'test',
  strict: false,
  ...more,
});
const task = {
  direction: 'minimise',
  scoreName: 'ratio_sq',
  references: [
    reference('human', 12.89, { human: true }),
    reference('C', 12.8892379, { paper: 'code', best: true }),
    reference('A', 12.92, { paper: 'research' }),
  ],
} as const;

describe('a row', () => {
  test("holds the value of the paper of the run's method, the best known, and a signed distance to the human best", () => {
    const row = reportRow(run, task);
    expect(row).toMatchObject({ paper: 12.8892379, bestKnown: { value: 12.8892379, strict: false } });
    expect(row.excel).toBeCloseTo((12.89 - 12.9) / 12.89, 12);
    expect(reportRow({ ...run, best: 12.88 }, task).excel).toBeGreaterThan(0);
    expect(reportRow({ ...run, method: 'research' }, task).paper).toBe(12.92);
    expect(reportRow({ ...run, method: 'theta' }, task).paper).toBeNull();
  });
  test('a strict human value is compared with the strict best', () => {
    const strict = { ...task, references: [reference('human', 12.89, { human: true, strict: true })] };
    expect(reportRow(run, strict).excel).toBeCloseTo((12.89 - 12.95) / 12.89, 12);
  });
  test('a run without a score, or a task without a human value, has no excel@best', () => {
    expect(reportRow({ ...run, best: null }, task).excel).toBeNull();
    expect(reportRow(run, { ...task, references: [] })).toMatchObject({ excel: null, paper: null, bestKnown: null });
  });
});

describe('what rows come to', () => {
  const rows = [
    reportRow({ ...run, run: 'a', best: 12.9, bestStrict: null }, task),
    reportRow({ ...run, run: 'b', best: 12.88, bestStrict: null }, task),
    reportRow({ ...run, run: 'c', task: 'other', best: 13.89, bestStrict: null }, task),
    reportRow({ ...run, run: 'd', task: 'third', best: null, bestStrict: null }, task),
    reportRow({ ...run, run: 'e', best: 12, bestStrict: null, offlineModel: true }, task),
  ];
  test('a task over its runs: mean, deviation, best and worst', () => {
    expect(taskSpreads(rows)[1]).toMatchObject({ method: 'code', runs: 2, best: 12.88, worst: 12.9 });
    expect(taskSpreads(rows)[1]!.mean).toBeCloseTo(12.89, 12);
    expect(taskSpreads(rows)[1]!.sd).toBeCloseTo(Math.sqrt(2) / 100, 12);
    expect(taskSpreads(rows).map(({ task: of }) => of)).toEqual([run.task, run.task, 'other']);
  });
  test('only runs of the same settings and budget are one row, with those that are open; percents have two decimals', () => {
    const seeds = [
      reportRow({ ...run, run: 'a', best: 3, settings: 'steps=8' }, task),
      reportRow({ ...run, run: 'b', best: 4, settings: 'steps=64', programs: 48 }, task),
      reportRow({ ...run, run: 'c', best: 5, settings: 'steps=64', programs: 513, state: 'paused' }, task),
    ].map((row) => ({ ...row, bestStrict: null }));
    expect(spreadTable(seeds)).toEqual([
      ['task', 'method', 'settings', 'runs', 'mean', 'sd', 'best', 'worst', 'programs'],
      [run.task, 'code', 'steps=8', '1', '3 ↓', '-', '3', '3', '640'],
      [run.task, 'code', 'steps=64', '2 (1 open)', '4.5 ↓', '0.707', '4', '5', '48 to 513'],
    ]);
    expect([-0.635625, 0.1, 0, 0.0000012].map(percent)).toEqual(['-63.56 %', '+10.00 %', '0 %', '+0.0001 %']);
  });
  test("a method over its problems: the mean of their best runs' excel@best, wins, and the problem furthest behind", () => {
    const [offline, code] = methodSummaries(rows);
    expect(offline).toMatchObject({ method: 'code (offline)', problems: 1, wins: 1 });
    expect(code).toMatchObject({ method: 'code', problems: 2, wins: 1, worstTask: 'other' });
    expect(code!.meanExcel).toBeCloseTo((0.01 - 1) / 12.89 / 2, 12);
  });
  test('AlphaResearch, Table 4: the printed results come to -0.780 % and 2 of 8', () => {
    const printed: readonly (readonly [Direction, number, number])[] = [
      ['maximise', 2.634, 2.636],
      ['maximise', 2.936, 2.939],
      ['minimise', 12.89, 12.92],
      ['minimise', 1.458, 1.546],
      ['maximise', 0.6736, 0.6735],
      ['minimise', 0.755, 0.756],
      ['minimise', 32, 32],
      ['maximise', 1.04, 1.04],
    ];
    const [summary] = methodSummaries(
      printed.map(([direction, human, best], index) =>
        reportRow(
          { ...run, task: String(index), best },
          { ...task, direction, references: [reference('human', human, { human: true })] },
        ),
      ),
    );
    expect(summary).toMatchObject({ problems: 8, wins: 2, worstTask: '3' });
    expect(100 * summary!.meanExcel).toBeCloseTo(-0.78, 3);
  });
  test('a paper that prints a value for these settings goes before the one of the task; a human best of another formula fills in', () => {
    const says = { value: 12.9157, human: { value: 13, own: 12.87 } };
    expect(reportRow(run, task, says)).toMatchObject({ paper: 12.9157 });
    expect(reportRow(run, task, says).excel).toBeCloseTo((12.89 - 12.9) / 12.89, 12);
    const without = { ...task, references: [] };
    expect(reportRow(run, without, says).excel).toBeCloseTo(0.01, 12);
    expect(reportRow(run, without, { ...says, human: { value: 13, own: null } }).excel).toBeNull();
  });
});

describe('the forms', () => {
  const rows = [
    reportRow(run, task),
    reportRow({ ...run, run: 'a<b|c', best: 12.88, offlineModel: true, quarantined: 2, level: 'checked' }, task),
  ];
  test('the table shows ten digits, signs and what was held back', () => {
    const [head, first, second] = reportTable(rows);
    expect(first).toHaveLength(head!.length);
    expect(first!.join(' ')).toContain('12.8892379');
    expect(first!.join(' ')).toContain('12.96 ');
    expect(first!.join(' ')).toContain('-0.08 %');
    expect(second!.join(' ')).toContain('+0.08 %');
    expect(second!.join(' ')).toContain('2 quarantined');
    expect(second!.join(' ')).toContain('code (offline)');
    expect([first, second].map((cells) => cells![head!.indexOf('level')])).toEqual(['-', 'checked']);
  });
  test('Markdown escapes what would break it', () => {
    expect(reportMarkdown(rows)).toContain('a<b\\|c');
  });
  test('the page has a table a task, with as many cells as titles', () => {
    for (const { head, lines } of taskTables(rows))
      for (const { cells } of lines) expect(cells).toHaveLength(head.length);
    expect(sumTables(rows).map(({ title }) => title)).toEqual([
      'Over runs of the same settings and budget',
      'Beside the human best',
    ]);
  });
  test('the page leaves the column of hidden scores out where a task has none', () => {
    const [plain] = taskTables(rows.map((row) => ({ ...row, hidden: null })));
    expect(taskTables(rows)[0]!.head).toContain('hidden');
    expect(plain!.head).not.toContain('hidden');
    expect(plain!.lines[0]!.cells).toHaveLength(plain!.head.length);
  });
  test('CSV holds full precision and as many fields as its head', () => {
    const [head, first] = reportCsv(rows).split('\r\n');
    expect(first!.split(',')).toHaveLength(head!.split(',').length);
    expect(first).toContain(String(rows[0]!.excel));
  });
});

describe('every character of the forms', () => {
  const rows = [
    reportRow(run, task),
    reportRow({ ...run, run: 'a<b|c', best: 12.88, offlineModel: true, quarantined: 2 }, task),
    reportRow(reportedRun({ run: 'none', task: 'other', method: 'theta', state: 'paused' }), {
      direction: 'maximise',
      scoreName: 'sum "of" radii',
      references: [reference('D', 1 / 3, { best: true, strict: true })],
    }),
  ];
  test('Markdown, with the cells of the table', () => {
    expect(reportMarkdown(rows)).toMatchInlineSnapshot(`
      "| task | run | method | seed | start | best | best strict | hidden | paper | best known | excel@best | programs | tokens | cost | level | state |
      | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
      | max-min-distance-16-2 | code-1 | code | 7 | - | 12.9 ↓ | 12.95 | 12.96 ↓ (initial 600.5) | 12.8892379 | 12.8892379 (tolerant) | -0.08 % | 640 | 12345 | $0.50 | - | finished |
      | max-min-distance-16-2 | \`a<b\\|c\` | code (offline) | 7 | - | 12.88 ↓ | 12.95 | 12.96 ↓ (initial 600.5) | 12.8892379 | 12.8892379 (tolerant) | +0.08 % | 640 | 12345 | $0.50 | - | finished, 2 quarantined |
      | other | none | theta | 7 | - | - ↑ | - | - | - | 0.3333333333 | - | 640 | 12345 | $0.50 | - | paused |

      | task | method | runs | mean | sd | best | worst | programs |
      | --- | --- | --- | --- | --- | --- | --- | --- |
      | max-min-distance-16-2 | code | 1 | 12.95 ↓ | - | 12.95 | 12.95 | 640 |
      | max-min-distance-16-2 | code (offline) | 1 | 12.95 ↓ | - | 12.95 | 12.95 | 640 |

      | method | problems | mean excel@best | wins | worst | worst problem |
      | --- | --- | --- | --- | --- | --- |
      | code (offline) | 1 | +0.08 % | 1 of 1 | +0.08 % | max-min-distance-16-2 |
      | code | 1 | -0.08 % | 0 of 1 | -0.08 % | max-min-distance-16-2 |

      - best: tolerant objective; strict: without any tolerance. Records are claimed on strict values only.
      - hidden: the best program on instances that no run is ranked by, on the scale of the task's evaluate_hidden (function tasks): where it is no better than the initial program, which stands beside it, what was learnt holds for the ranked ones only.
      - paper: the value that a paper prints for this method with this model and these settings, else the one that the paper of the run's method prints for this task. best known: by anybody, under the check that is named.
      - excel@best (AlphaResearch): signed distance to the best human result, as a share of it; above 0 it is beaten.
      - (offline): answered by the offline model, which holds no language model: a control, no result of the method.
      "
    `);
  });
  test('LaTeX, without the columns that are empty and with nothing that its signs would change', () => {
    const latex = reportLatex([{ ...rows[1]!, settings: 'limits.steps=9_0 & ≥ä~^\\{}' }]);
    expect(latex).toContain(
      String.raw`a\textless{}b\textbar{}c & code (offline) & 7 & 12.88 $\downarrow$ & 12.95 & 12.96 $\downarrow$ (initial 600.5)`,
    );
    expect(latex).toContain(String.raw`+0.08 \% & 640 & 12345 & \$0.50 & finished, 2 quarantined \\`);
    expect(latex).toContain(
      String.raw`limits.steps=9\_0 \& U+2265ä\textasciitilde{}\textasciicircum{}\textbackslash{}\{\}`,
    );
  });
  test('the order in which a narrow window leaves columns out', () => {
    expect(LEAST_FIRST.join(', ')).toBe(
      'cost, start, tokens, seed, programs, hidden, method, best strict, level, paper, state, excel@best, task, best known',
    );
  });
  test('CSV', () => {
    expect(reportCsv(rows).split('\r\n')).toMatchInlineSnapshot(`
      [
        "task,score_name,direction,run,method,seed,state,best,best_strict,hidden,hidden_initial,paper,best_known,best_known_strict,excel_at_best,programs,quarantined,tokens,cost_usd,start,start_score,offline_model,level,settings",
        "max-min-distance-16-2,ratio_sq,minimise,code-1,code,7,finished,12.9,12.95,12.96,600.5,12.8892379,12.8892379,false,-0.000775795190069805,640,0,12345,0.5,,,false,,",
        "max-min-distance-16-2,ratio_sq,minimise,a<b|c,code,7,finished,12.88,12.95,12.96,600.5,12.8892379,12.8892379,false,0.000775795190069805,640,2,12345,0.5,,,true,,",
        "other,"sum ""of"" radii",maximise,none,theta,7,paused,,,,,,0.3333333333333333,true,,640,0,12345,0.5,,,false,,",
        "",
      ]
    `);
  });
  test('the page', () => {
    expect(
      taskTables(rows).map(({ task: id, head, lines }) => [
        id,
        head.join(' | '),
        ...lines.map(({ run: name, won, cells }) => `${name}${won ? ' won' : ''}: ${cells.join(' | ')}`),
      ]),
    ).toMatchInlineSnapshot(`
      [
        [
          "max-min-distance-16-2",
          "run | method | seed | start | best | best strict | hidden | paper | best known | excel@best | programs | tokens | cost | level | state",
          "code-1: code-1 | code | 7 | - | 12.9 ↓ | 12.95 | 12.96 ↓ (initial 600.5) | 12.8892379 | 12.8892379 (tolerant) | -0.08 % | 640 | 12345 | $0.50 | - | finished",
          "a<b|c won: a<b|c | code (offline) | 7 | - | 12.88 ↓ | 12.95 | 12.96 ↓ (initial 600.5) | 12.8892379 | 12.8892379 (tolerant) | +0.08 % | 640 | 12345 | $0.50 | - | finished, 2 quarantined",
        ],
        [
          "other",
          "run | method | seed | start | best | best strict | paper | best known | excel@best | programs | tokens | cost | level | state",
          "none: none | theta | 7 | - | - ↑ | - | - | 0.3333333333 | - | 640 | 12345 | $0.50 | - | paused",
        ],
      ]
    `);
  });
});
