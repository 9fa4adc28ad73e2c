// Runs beside reference values: which value stands where, what is signed, and that every form holds the same.
import { describe, expect, test } from 'vitest';
import {
  LEAST_FIRST,
  reportCsv,
  reportMarkdown,
  reportPage,
  reportRow,
  reportTable,
} from '../../../evolution/reports/task-report.ts';
import { reportedRun } from '../../support/reported-run.ts';

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
      "| task | run | method | seed | best | best strict | hidden | paper | best known | excel@best | programs | tokens | cost | state |
      | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
      | max-min-distance-16-2 | code-1 | code | 7 | 12.9 ↓ | 12.95 | 12.96 ↓ (initial 600.5) | 12.8892379 | 12.8892379 (tolerant) | -0.0776 % | 640 | 12345 | $0.5000 | finished |
      | max-min-distance-16-2 | \`a<b\\|c\` | code (offline) | 7 | 12.88 ↓ | 12.95 | 12.96 ↓ (initial 600.5) | 12.8892379 | 12.8892379 (tolerant) | +0.0776 % | 640 | 12345 | $0.5000 | finished, 2 quarantined |
      | other | none | theta | 7 | - ↑ | - | - | - | 0.3333333333 | - | 640 | 12345 | $0.5000 | paused |

      - best: tolerant objective; strict: without any tolerance. Records are claimed on strict values only.
      - hidden: the best program on instances that no run is ranked by, on the scale of the task's evaluate_hidden (function tasks): where it is no better than the initial program, which stands beside it, what was learnt holds for the ranked ones only.
      - paper: the value that the paper of the run's method prints for this task. best known: by anybody, under the check that is named.
      - excel@best (AlphaResearch): signed distance to the best human result, as a share of it; above 0 it is beaten.
      - (offline): answered by the offline model, which holds no language model: a control, no result of the method.
      "
    `);
  });
  test('the order in which a narrow window leaves columns out', () => {
    expect(LEAST_FIRST.join(', ')).toBe(
      'cost, tokens, seed, programs, hidden, method, best strict, paper, state, excel@best, task, best known',
    );
  });
  test('CSV', () => {
    expect(reportCsv(rows).split('\r\n')).toMatchInlineSnapshot(`
      [
        "task,score_name,direction,run,method,seed,state,best,best_strict,hidden,hidden_initial,paper,best_known,best_known_strict,excel_at_best,programs,quarantined,tokens,cost_usd,offline_model",
        "max-min-distance-16-2,ratio_sq,minimise,code-1,code,7,finished,12.9,12.95,12.96,600.5,12.8892379,12.8892379,false,-0.000775795190069805,640,0,12345,0.5,false",
        "max-min-distance-16-2,ratio_sq,minimise,a<b|c,code,7,finished,12.88,12.95,12.96,600.5,12.8892379,12.8892379,false,0.000775795190069805,640,2,12345,0.5,true",
        "other,"sum ""of"" radii",maximise,none,theta,7,paused,,,,,,0.3333333333333333,true,,640,0,12345,0.5,false",
        "",
      ]
    `);
  });
  test('the page', () => {
    const page = reportPage(rows, '2026-01-01 00:00 UTC');
    expect(page.slice(page.indexOf('<body>'))).toMatchInlineSnapshot(`
      "<body>
      <h1>Runs of DurableEvolve</h1>
      <p>2026-01-01 00:00 UTC, 3 runs</p>
      <h2>max-min-distance-16-2: ratio_sq, lower is better</h2>
      <div class="wide"><table>
      <thead><tr><th scope="col">run</th><th scope="col">method</th><th scope="col">seed</th><th scope="col">best</th><th scope="col">best strict</th><th scope="col">hidden</th><th scope="col">paper</th><th scope="col">best known</th><th scope="col">excel@best</th><th scope="col">programs</th><th scope="col">tokens</th><th scope="col">cost</th><th scope="col">state</th></tr></thead>
      <tbody>
      <tr><td>code-1</td><td>code</td><td>7</td><td>12.9 ↓</td><td>12.95</td><td>12.96 ↓ (initial 600.5)</td><td>12.8892379</td><td>12.8892379 (tolerant)</td><td>-0.0776 %</td><td>640</td><td>12345</td><td>$0.5000</td><td>finished</td></tr>
      <tr class="won"><td>a&lt;b|c</td><td>code (offline)</td><td>7</td><td>12.88 ↓</td><td>12.95</td><td>12.96 ↓ (initial 600.5)</td><td>12.8892379</td><td>12.8892379 (tolerant)</td><td>+0.0776 %</td><td>640</td><td>12345</td><td>$0.5000</td><td>finished, 2 quarantined</td></tr>
      </tbody></table></div>
      <h2>other: sum &quot;of&quot; radii, higher is better</h2>
      <div class="wide"><table>
      <thead><tr><th scope="col">run</th><th scope="col">method</th><th scope="col">seed</th><th scope="col">best</th><th scope="col">best strict</th><th scope="col">paper</th><th scope="col">best known</th><th scope="col">excel@best</th><th scope="col">programs</th><th scope="col">tokens</th><th scope="col">cost</th><th scope="col">state</th></tr></thead>
      <tbody>
      <tr><td>none</td><td>theta</td><td>7</td><td>- ↑</td><td>-</td><td>-</td><td>0.3333333333</td><td>-</td><td>640</td><td>12345</td><td>$0.5000</td><td>paused</td></tr>
      </tbody></table></div>
      <ul>
      <li>best: tolerant objective; strict: without any tolerance. Records are claimed on strict values only.</li>
      <li>hidden: the best program on instances that no run is ranked by, on the scale of the task's evaluate_hidden (function tasks): where it is no better than the initial program, which stands beside it, what was learnt holds for the ranked ones only.</li>
      <li>paper: the value that the paper of the run's method prints for this task. best known: by anybody, under the check that is named.</li>
      <li>excel@best (AlphaResearch): signed distance to the best human result, as a share of it; above 0 it is beaten.</li>
      <li>(offline): answered by the offline model, which holds no language model: a control, no result of the method.</li>
      </ul>
      </body></html>
      "
    `);
  });
});
