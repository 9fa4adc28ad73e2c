// What checks of a task found is kept by its evaluator, for the runs that begin on this host.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Trust } from '../../evolution/task/trust.ts';
import { checkedIn, noteChecked } from '../../workers/roles/checked.ts';

test('a part that fails takes a level back, a check of some parts alone does not; another evaluator or host has none', () => {
  const home = mkdtempSync(join(tmpdir(), 'evolve-checked-'));
  const after = (trust: Trust | null, ok: boolean): Trust | null => {
    noteChecked(home, { evaluatorDigest: 'one', trust, ok });
    return checkedIn(home)('one');
  };
  expect(after('cheat-proof', true)).toBe('cheat-proof');
  expect(after(null, true)).toBe('cheat-proof');
  expect(after('isolated', true)).toBe('cheat-proof');
  expect(after('isolated', false)).toBe('isolated');
  expect(after('checked', true)).toBe('checked');
  expect([checkedIn(home)('another'), checkedIn(join(home, 'elsewhere'))('one')]).toEqual([null, null]);
  rmSync(home, { recursive: true });
});
