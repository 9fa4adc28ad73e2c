// The table of `npm run interop`: by repository what is imported, with the sentence of each refusal.
import { expect, test } from 'vitest';
import { tableOf } from '../../interop/table.ts';

test('the table of folders', () => {
  const row = { repository: 'r', format: 'openevolve', edited: false, imported: true, ours: 1, peers: 1, equal: true };
  const table = tableOf([
    { ...row, example: 'a', reason: null },
    { ...row, example: 'b', reason: null, peers: 2, equal: false },
    { ...row, example: 'c', imported: false, ours: null, peers: null, equal: null, reason: 'needs\n a | b' },
  ]);
  expect(table).toContain('| r | 3 | 2 | 1 | 1 | 1 |');
  expect(table).toContain('| r | `c` | needs a \\| b |');
  expect(table).toContain('| `b` | 1 | 2 |  |');
});
