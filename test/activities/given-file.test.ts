// Files that a person or a folder from elsewhere names: what is no plain text of a sensible size inside its folder is
// refused at once, with words.
// Attempts: files, settings and the machine.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { GivenFileError, listGiven, readGiven } from '../../activities/given-file.ts';

const root = mkdtempSync(join(tmpdir(), 'given-'));
const inside = join(root, 'inside');
mkdirSync(inside);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const file = (path: string, content: string | Uint8Array): string => {
  writeFileSync(join(root, path), content);
  return join(root, path);
};
const link = (path: string, target: string): string => {
  symlinkSync(target, join(root, path));
  return join(root, path);
};
const refusal = (path: string, within?: string): string => {
  try {
    readGiven(path, { maxBytes: 1_000, ...(within === undefined ? {} : { within }) });
  } catch (error) {
    if (error instanceof GivenFileError) return error.message;
    throw error;
  }
  return 'it was read';
};

describe('a given file', () => {
  test('is read as UTF-8 without its byte order mark', () => {
    expect(readGiven(file('bom', '\uFEFFgrün 🙂\n'), { maxBytes: 100 })).toBe('grün 🙂\n');
    expect(readGiven(file('exact', 'x'.repeat(10)), { maxBytes: 10 })).toBe('x'.repeat(10));
    expect(readGiven(file('empty', ''), { maxBytes: 10 })).toBe('');
  });

  test.each([
    ['that is not there', () => join(root, 'nowhere'), 'no such file'],
    ['below a file', () => join(file('plain', 'x'), 'below'), 'no such file'],
    ['with NUL in its path', () => `${root}/a\0b`, 'a path with a NUL character in it'],
    ['with an endless name', () => join(root, 'x'.repeat(400)), 'a name that is too long'],
    ['that is a directory', () => inside, 'a directory, expected a regular file'],
    ['that is an endless device', () => '/dev/zero', 'a device, expected a regular file'],
    ['that is a link to an endless device', () => link('zero', '/dev/zero'), 'a device, expected a regular file'],
    ['of links in a circle', () => link('circle', join(root, 'circle')), 'links that lead in a circle'],
    ['that is too large', () => file('large', 'x'.repeat(1_001)), 'more than 1000 bytes, expected at most so many'],
    [
      'that is sparse',
      () => {
        const path = file('sparse', '');
        truncateSync(path, 2 ** 33);
        return path;
      },
      'more than 1000 bytes',
    ],
    ['in UTF-16', () => file('utf16', Buffer.from('\uFEFFbatch: 4', 'utf16le')), 'text in UTF-16, expected UTF-8'],
    [
      'in UTF-16 without a mark',
      () => file('utf16-plain', Buffer.from('a: 1', 'utf16le')),
      'a NUL character (line 1, byte 1)',
    ],
    [
      'in Latin-1',
      () => file('latin1', Buffer.from('a: 1\nb: 2\nname: gr\u00fcn\n', 'latin1')),
      'it is not UTF-8 text (line 3, byte 18): save it as UTF-8',
    ],
    ['that ends inside of a character', () => file('cut', Buffer.from([0x61, 0xe2, 0x82])), 'line 1, byte 2'],
    ['with a lone surrogate', () => file('surrogate', Buffer.from([0x61, 0xed, 0xa0, 0x80])), '(line 1, byte '],
  ])('%s is refused', (_name, path, message) => {
    expect(refusal(path())).toContain(message);
  });

  test.skipIf(!existsSync('/proc/self/mem'))('that the system gives no byte of is refused with words', () => {
    expect(() => readGiven('/proc/self/mem', { maxBytes: 1_000 })).toThrow(GivenFileError);
  });

  test('that is a pipe nobody writes into is refused without waiting', () => {
    const path = join(root, 'pipe');
    execFileSync('mkfifo', [path]);
    expect(refusal(path)).toBe('a pipe, expected a regular file');
  });

  test('that is a socket is refused', async () => {
    const path = join(root, 'socket');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    expect(refusal(path)).toContain('a socket');
    await new Promise((resolve) => server.close(resolve));
  });

  test('must be inside of its folder, links resolved', () => {
    const outside = file('secret', 'secret');
    const within = file('inside/own', 'own');
    expect(refusal(outside, inside)).toMatch(/^a file outside of .*inside, expected one inside of it$/);
    expect(refusal(join(inside, '..', 'secret'), inside)).toContain('a file outside of');
    expect(refusal(link('inside/away', outside), inside)).toContain('a file outside of');
    expect(refusal(link('inside/passwd', '/etc/passwd'), inside)).toMatch(/outside of|more than/);
    expect(readGiven(link('inside/near', within), { maxBytes: 100, within: inside })).toBe('own');
    expect(readGiven(join(link('door', inside), 'own'), { maxBytes: 100, within: join(root, 'door') })).toBe('own');
    expect(refusal(join(inside, 'nowhere'), inside)).toBe('no such file');
  });
});

describe('a list of files', () => {
  test('follows no links, and ends', () => {
    const folder = join(root, 'many');
    mkdirSync(join(folder, 'sub'), { recursive: true });
    file('many/b.py', '');
    file('many/sub/a.py', '');
    link('many/loop', folder);
    link('many/sub/loop', folder);
    expect(listGiven(folder, root)).toEqual(['b.py', 'loop', 'sub/a.py', 'sub/loop']);
    expect(listGiven(join(root, 'none'), root)).toEqual([]);
    expect(listGiven(folder, root, { deep: false })).toEqual(['b.py', 'loop']);
    expect(() => listGiven(link('inside/many', folder), inside)).toThrow('a folder outside of');
  });

  test('of too many files, or too deep, is refused', () => {
    const folder = join(root, 'flood');
    mkdirSync(join(folder, ...Array.from({ length: 9 }, () => 'd')), { recursive: true });
    expect(() => listGiven(folder, root)).toThrow('folders more than 8 deep');
    const wide = join(root, 'wide');
    mkdirSync(wide);
    for (let index = 0; index <= 1_000; index++) writeFileSync(join(wide, String(index)), '');
    expect(() => listGiven(wide, root)).toThrow('more than 1000 files and folders');
  });
});
