import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writeInside } from '../../../deploy/host/files.ts';

const root = mkdtempSync(join(tmpdir(), 'files-'));
afterAll(() => rmSync(root, { recursive: true }));

test('no link in a folder of somebody else leads what is written elsewhere', () => {
  const [folder, outside] = [join(root, 'given'), join(root, 'outside')];
  for (const path of [folder, outside]) mkdirSync(path);
  symlinkSync(join(outside, 'made.yaml'), join(folder, 'task.yaml'));
  symlinkSync(outside, join(folder, 'shinka'));
  for (const path of ['task.yaml', 'shinka/core.py', '../outside/core.py'])
    expect(() => writeInside(folder, path, 'text')).toThrow(/got a link/);
  expect(['made.yaml', 'core.py'].filter((name) => existsSync(join(outside, name)))).toEqual([]);
  writeInside(folder, 'helpers/core.py', 'first');
  writeInside(folder, 'helpers/core.py', 'second');
  expect(readFileSync(join(folder, 'helpers', 'core.py'), 'utf8')).toBe('second');
});
