import { expect, it } from 'vitest';
import { hashSources } from '../../deploy/parts/sources.ts';

it('refuses to hash code that is not there: a file that moved would never count as changed again', () => {
  expect(() => hashSources(['deploy/no-such-file.ts'])).toThrow(/ENOENT.*no-such-file/);
  expect(hashSources(['deploy/parts/sources.ts'])).not.toBe(hashSources(['deploy/parts']));
});
