// The views of the Temporal UI as people get them: the table in the docs, the addresses, and the line for the console.
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { consoleLine, FIRST_VIEWS, UI_COLUMNS, UI_VIEWS, viewUrl } from '../../../client/temporal/ui-views.ts';
import { ATTRIBUTES } from '../../../workflows/engine/attributes.ts';

const UI = { base: 'http://127.0.0.1:8233/', namespace: 'my space' };

test('an address opens the view, and keeps it where that is wanted', () => {
  expect(FIRST_VIEWS.map(({ name }) => name)).toEqual(['needs a person', 'all runs']);
  const [opens, keeps] = [false, true].map((save) => new URL(viewUrl(UI, FIRST_VIEWS[1]!, { save })));
  expect(opens!.pathname).toBe('/namespaces/my%20space/workflows');
  expect([...opens!.searchParams]).toEqual([['query', FIRST_VIEWS[1]!.query]]);
  expect(keeps!.searchParams.get('savedQuery')).toBe('all runs');
  // A plus sign is a space in forms alone.
  expect(opens!.href).not.toContain('+');
});

test('the line for the console sets columns and views, keeps those of the person, and changes nothing when pasted again', () => {
  const own = { id: '1', name: 'mine', query: 'EvoSpend > 1', type: 'user' };
  const localStorage: Record<string, string> = {
    'saved-workflow-queries': JSON.stringify({ 'my space': [own], other: [own] }),
  };
  let reloads = 0;
  const paste = () =>
    runInNewContext(consoleLine(UI), { localStorage, location: { reload: () => (reloads += 1) } }) as unknown;
  paste();
  const once = { ...localStorage };
  paste();
  expect(localStorage).toEqual(once);
  expect(reloads).toBe(2);
  const views = JSON.parse(localStorage['saved-workflow-queries']!) as Record<string, { name: string }[]>;
  expect(views['other']).toEqual([own]);
  expect(views['my space']!.map(({ name }) => name)).toEqual([
    'mine',
    ...UI_VIEWS.filter(({ query }) => !query.includes('<')).map(({ name }) => name),
  ]);
  expect(JSON.parse(localStorage['namespace-workflow-table-columns']!)).toEqual({
    'my space': UI_COLUMNS.map((label) => ({ label })),
  });
});

test('columns are attributes that are registered, or columns of the UI itself', () => {
  const known = ['Status', 'Workflow ID', 'Start', ...Object.values(ATTRIBUTES).map(({ name }) => name)];
  expect(UI_COLUMNS.filter((label) => !known.includes(label))).toEqual([]);
});

test('what changes while a run goes on stands before what was chosen at its start', () => {
  const last = Math.max(
    ...['EvoStatus', 'EvoStep', 'EvoBestScore', 'EvoSpend', 'EvoLastImprovement'].map((one) => UI_COLUMNS.indexOf(one)),
  );
  for (const chosen of ['EvoTask', 'EvoModel', 'EvoPolicy']) expect(UI_COLUMNS.indexOf(chosen)).toBeGreaterThan(last);
});
