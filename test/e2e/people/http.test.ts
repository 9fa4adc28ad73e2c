// The HTTP interface on a real stack: a run of a task that comes along is started, followed to its end, steered and read.
import { tableFromIPC } from 'apache-arrow';
import { beforeAll, expect, test } from 'vitest';
import { SCHEMAS } from '../../../page/server/product/schemas.ts';
import { sharedHome } from '../../support/machine/live.ts';
import { pageOfHome } from '../../support/page/serve.ts';

const live = sharedHome();
let api = '';
beforeAll(async () => {
  api = `${(await pageOfHome(live.home)).url}/api/v1`;
});
const OURS = { 'x-evolve-page': '1' };
const get = async (path: string): Promise<Response> => fetch(`${api}/${path}`, { headers: OURS });
const post = async (path: string, body: object) => {
  const headers = { ...OURS, 'content-type': 'application/json' };
  const response = await fetch(`${api}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, answer: (await response.json()) as { [key: string]: unknown } };
};

const FILES = {
  'evaluator.py':
    '# direction: maximise\n# seconds: 4\nimport runpy\ndef evaluate(path):\n    return {"combined_score": runpy.run_path(path)["f"](), "half": 0.5}\n',
  'initial.py': '# EVOLVE-BLOCK-START\ndef f():\n    return 1.5\n# EVOLVE-BLOCK-END\n',
};
const started = { settings: { batch: 2, responses: 2, limits: { steps: 2 } }, files: FILES };

test('a run of files that come along is started once, followed, steered and read', async () => {
  const dry = await post('runs', { request: 'http-test-dry', dry: true, ...started });
  expect(dry).toMatchObject({ status: 200, answer: { text: 'can be started so', problems: [] } });
  const body = { request: 'http-test-start', run: 'over-http', ...started };
  const both = await Promise.all([post('runs', body), post('runs', body)]);
  for (const { status, answer } of both) {
    expect([status, answer['run']]).toEqual([200, 'over-http']);
    expect(SCHEMAS.Done.safeParse(answer).error?.issues ?? []).toEqual([]);
  }

  const events = (await (await get('runs/over-http/watch')).text())
    .split('\n\n')
    .filter((text) => text.startsWith('event'));
  const states = events.map((text) => JSON.parse(text.split('\ndata: ')[1]!) as { state: string; steps: number });
  expect(events.at(-1)).toMatch(/^event: end/);
  expect(states.at(-1)).toMatchObject({ run: 'over-http', state: 'finished', steps: 2, programs: 8 });
  for (const state of states) expect(SCHEMAS.Run.safeParse(state).error?.issues ?? []).toEqual([]);

  const rows = (await (await get('runs/over-http/programs')).json()) as readonly { id: string; metrics: object }[];
  const printed = (await live.must('programs', 'over-http', '--json')).trim().split('\n');
  expect(rows).toEqual(printed.map((line) => JSON.parse(line) as unknown));
  const table = tableFromIPC(await (await get('runs/over-http/programs?format=arrow')).bytes());
  expect(table.toArray().map((row: { id: string }) => row.id)).toEqual(rows.map(({ id }) => id));
  expect(table.getChild('metrics.half')?.toArray()).toContain(0.5);
  const csv = await (await get('runs/over-http/programs?format=csv')).text();
  const printedCsv = await live.must('programs', 'over-http', '--csv', '-');
  const columnsOf = (text: string): readonly string[] => text.split('\r\n')[0]!.split(',').toSorted();
  expect(columnsOf(csv)).toEqual(columnsOf(printedCsv));
  expect(await (await get('runs/over-http')).json()).toMatchObject(
    await live.home.json(['status', 'over-http']).then(({ run, best, state }) => ({ run, best, state })),
  );
  const { program, code } = (await (await get('runs/over-http/best')).json()) as { program: string; code: string };
  expect(code).toContain('EVOLVE-BLOCK-START');
  expect(await (await get(`runs/over-http/programs/${encodeURIComponent(program)}`)).json()).toMatchObject({
    _id: program,
    code,
  });

  const more = await post('runs/over-http/extend', { request: 'http-test-more', steps: 1, add: true });
  expect([more.status, more.answer['run']]).toEqual([200, 'over-http']);
  const again = await post('runs/over-http/extend', { request: 'http-test-more', steps: 1, add: true });
  expect(again.answer).toEqual(more.answer);
  expect((await live.engine.ended('over-http')).committedStep).toBe(3);
}, 300_000);

test('a start is refused as the command refuses it', async () => {
  const refused = async (body: object) => {
    const { status, answer } = await post('runs', { request: 'http-test-refused', ...body });
    return [status, (answer['error'] as { message: string }).message] as const;
  };
  expect(await refused({ settings: { limits: { steps: 'two' } } })).toEqual([
    400,
    expect.stringContaining('limits.steps: expected'),
  ]);
  expect(await refused({ settings: { task: 'no-such-task' } })).toEqual([400, expect.stringContaining('no-such-task')]);
  expect(await refused({ files: { '../evil.py': 'x' } })).toEqual([
    400,
    expect.stringContaining('files: expected names such as'),
  ]);
  expect(await refused({ files: { 'evaluator.py': 1 } })).toEqual([
    400,
    expect.stringContaining('evaluator.py: expected its text, got 1'),
  ]);
  expect(await refused({ files: { 'initial.py': 'x = 1' } })).toEqual([
    400,
    expect.stringContaining('put an evaluator.py'),
  ]);
  expect(await refused({ settings: { task: 'circle-packing-square-26' }, files: FILES })).toEqual([
    400,
    expect.stringContaining('got both'),
  ]);
});
