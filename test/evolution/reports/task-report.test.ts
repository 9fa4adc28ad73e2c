// Runs beside reference values: which value stands where, what is signed, and that every form holds the same.
import { describe, expect, test } from 'vitest';
import {
  reportCsv,
  reportMarkdown,
  reportPage,
  reportRow,
  reportTable,
} from '../../../evolution/reports/task-report.ts';

const run = {
  run: 'code-1',
  task: 'max-min-distance-16-2',
  method: 'code',
  seed: 7,
  state: 'finished',
  best: 12.9,
  bestStrict: 12.95,
  hidden: 12.96,
  programs: 640,
  tokens: 12345,
  costUsd: 0.5,
  quarantined: 0,
  offlineModel: false,
};
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

describe('the forms', () => {
  const rows = [
    reportRow(run, task),
    reportRow({ ...run, run: 'a<b|c', best: 12.88, offlineModel: true, quarantined: 2 }, task),
  ];
  test('the table shows ten digits, signs and what was held back', () => {
    const [head, first, second] = reportTable(rows);
    expect(first).toHaveLength(head!.length);
    expect(first!.join(' ')).toContain('12.8892379');
    expect(first!.join(' ')).toContain('12.96 ');
    expect(first!.join(' ')).toContain('-0.0776 %');
    expect(second!.join(' ')).toContain('+0.0776 %');
    expect(second!.join(' ')).toContain('2 quarantined');
    expect(second!.join(' ')).toContain('code (offline)');
  });
  test('Markdown and the page escape what would break them', () => {
    expect(reportMarkdown(rows)).toContain('a<b\\|c');
    const page = reportPage(rows, 'now');
    expect(page).toContain('a&lt;b|c');
    expect(page).not.toMatch(/<script|https?:/);
    expect(page.match(/<th /g)).toHaveLength(page.match(/<td>/g)!.length / 2);
  });
  test('the page leaves the column of hidden scores out where a task has none', () => {
    const plain = reportPage(
      rows.map((row) => ({ ...row, hidden: null })),
      'now',
    );
    expect(reportPage(rows, 'now')).toContain('>hidden</th>');
    expect(plain).not.toContain('>hidden</th>');
    expect(plain.match(/<th /g)).toHaveLength(plain.match(/<td>/g)!.length / 2);
  });
  test('CSV holds full precision and as many fields as its head', () => {
    const [head, first] = reportCsv(rows).split('\r\n');
    expect(first!.split(',')).toHaveLength(head!.split(',').length);
    expect(first).toContain(String(rows[0]!.excel));
  });
});
