import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { prepareHome, PROJECT_ROOT, rememberUp, resolveHome, runsDirectory } from '../../../deploy/host/home.ts';
import { ownFolder } from '../../../deploy/host/private.ts';
import { isRoot } from '../../../deploy/host/run-command.ts';
import { sharedDisk } from '../../../deploy/host/space.ts';
import { scratchDirectory } from '../scratch.ts';

/** Some machines let not even root give files away. */
const givesAway = (path: string): boolean => {
  try {
    lchownSync(path, 12_345, 12_345);
  } catch {
    return false;
  }
  return lstatSync(path).uid === 12_345;
};

describe('home', () => {
  it('is .evolve beside package.json unless EVOLVE_HOME names another, and always absolute', () => {
    expect(resolveHome({}).root).toBe(join(PROJECT_ROOT, '.evolve'));
    expect(resolveHome({ EVOLVE_HOME: '' }).root).toBe(join(PROJECT_ROOT, '.evolve'));
    expect(resolveHome({ EVOLVE_HOME: 'some/where' }).root).toBe(join(process.cwd(), 'some/where'));
  });

  it('begins in the home folder of its user where a ~ was not read by a shell', () => {
    expect(resolveHome({ EVOLVE_HOME: '~/own' }).root).toBe(join(homedir(), 'own'));
    expect(resolveHome({ EVOLVE_HOME: '/tmp', EVOLVE_PARTS: '~' }).parts).toBe(homedir());
    expect(resolveHome({ EVOLVE_HOME: '~other/x' }).root).toBe(join(process.cwd(), '~other/x'));
    expect(runsDirectory({ EVOLVE_RUNS: '~/runs' })).toBe(join(homedir(), 'runs'));
  });

  it('that no file system can make is told with the setting', () => {
    const long = join(scratchDirectory(), 'x'.repeat(300));
    expect(() => prepareHome(resolveHome({ EVOLVE_HOME: long }))).toThrow(
      /^expected a directory that can be written at .*\(ENAMETOOLONG\): .*set EVOLVE_HOME to another directory$/,
    );
  });

  it('on a disk that several machines may have is told', () => {
    expect(sharedDisk(tmpdir())).toBe(null);
    expect(sharedDisk('/data', 0x6969)).toMatch(/^\/data is on NFS: databases may lose data there, .*EVOLVE_HOME/);
    // Some machines give such a number with its sign.
    expect(sharedDisk('/data', 0xff534d42 | 0)).toMatch(/CIFS/);
  });

  it('is the one that is up for shells that name none, with its parts, as long as it is up', () => {
    const XDG_CONFIG_HOME = scratchDirectory();
    const home = join(XDG_CONFIG_HOME, 'home');
    const named = resolveHome({ EVOLVE_HOME: home, EVOLVE_PARTS: join(XDG_CONFIG_HOME, 'parts') });
    mkdirSync(home);
    rememberUp(named, { XDG_CONFIG_HOME });
    expect(resolveHome({ XDG_CONFIG_HOME }).root).toBe(join(PROJECT_ROOT, '.evolve'));
    writeFileSync(named.upFile, '{}');
    // A clone whose own home is up keeps it.
    const expected = existsSync(join(PROJECT_ROOT, '.evolve', 'up.json')) ? PROJECT_ROOT : XDG_CONFIG_HOME;
    const found = resolveHome({ XDG_CONFIG_HOME });
    expect(found.root.startsWith(expected)).toBe(true);
    if (expected === XDG_CONFIG_HOME) expect([found.root, found.parts]).toEqual([named.root, named.parts]);
    expect(resolveHome({ XDG_CONFIG_HOME, EVOLVE_HOME: '/tmp/other' }).root).toBe('/tmp/other');
    writeFileSync(join(XDG_CONFIG_HOME, 'evolve', 'home.json'), 'no JSON');
    expect(resolveHome({ XDG_CONFIG_HOME }).root).toBe(join(PROJECT_ROOT, '.evolve'));
  });

  it('keeps data under its root even where heavy parts are shared', () => {
    const [a, b] = ['/tmp/x/a', '/tmp/x/b'].map((root) =>
      resolveHome({ EVOLVE_HOME: root, EVOLVE_PARTS: '/tmp/x/parts' }),
    );
    expect(a!.parts).toBe(b!.parts);
    for (const file of ['logs', 'upFile', 'planFile', 'portsFile', 'supervisorLock', 'setupLock'] as const) {
      expect(a![file].startsWith('/tmp/x/a/')).toBe(true);
      expect(a![file]).not.toBe(b![file]);
    }
    expect(a!.hash).not.toBe(b!.hash);
    expect(resolveHome({ EVOLVE_HOME: '/tmp/x/a' }).parts).toBe('/tmp/x/a');
  });

  it('has one hash however its directory is spelled', () => {
    const directory = scratchDirectory();
    mkdirSync(join(directory, 'real'));
    symlinkSync(join(directory, 'real'), join(directory, 'link'));
    expect(resolveHome({ EVOLVE_HOME: join(directory, 'link', 'new') }).hash).toBe(
      resolveHome({ EVOLVE_HOME: join(directory, 'real', '.', 'new', '') }).hash,
    );
  });

  it.skipIf(isRoot())('names the setting when it cannot be written', () => {
    const directory = scratchDirectory();
    chmodSync(directory, 0o500);
    expect(() => prepareHome(resolveHome({ EVOLVE_HOME: join(directory, 'home') }))).toThrow(/EVOLVE_HOME/);
  });

  it('names the setting when a file or a strange file system is in the way', () => {
    expect(() => prepareHome(resolveHome({ EVOLVE_HOME: '/proc/nowhere/home' }))).toThrow(
      /EVOLVE_HOME to another directory/,
    );
    expect(() => prepareHome(resolveHome({ EVOLVE_HOME: '/dev/null/home' }))).toThrow(
      /EVOLVE_HOME to another directory/,
    );
  });

  describe('belongs to its owner alone', () => {
    const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
    const scratch = () => resolveHome({ EVOLVE_HOME: join(scratchDirectory(), 'home') });

    it('when it is made, whatever the umask', () => {
      for (const umask of [0, 0o022, 0o077]) {
        const home = scratch();
        const before = process.umask(umask);
        try {
          prepareHome(home);
        } finally {
          process.umask(before);
        }
        expect([mode(home.root), mode(home.logs)]).toEqual(['700', '700']);
      }
    });

    it('when it was open to others: folders 0700, files 0600, heavy parts as they are', () => {
      const home = scratch();
      for (const folder of ['mongo/journal', 'logs', 'venv/bin'])
        mkdirSync(join(home.root, folder), { recursive: true });
      for (const file of ['keys.json', 'mongo/journal/log', 'logs/worker.log', 'venv/bin/python', 'tool'])
        writeFileSync(join(home.root, file), '');
      for (const file of ['keys.json', 'mongo/journal/log', 'logs/worker.log']) chmodSync(join(home.root, file), 0o644);
      for (const file of ['venv/bin/python', 'tool', '.', 'mongo', 'mongo/journal', 'logs'])
        chmodSync(join(home.root, file), 0o755);
      symlinkSync('log', join(home.root, 'mongo', 'journal', 'newest'));
      prepareHome(home);
      expect(['.', 'mongo', 'mongo/journal', 'logs', 'tool'].map((path) => mode(join(home.root, path)))).toEqual(
        Array(5).fill('700'),
      );
      expect(['keys.json', 'mongo/journal/log', 'logs/worker.log'].map((path) => mode(join(home.root, path)))).toEqual(
        Array(3).fill('600'),
      );
      expect(mode(join(home.root, 'venv/bin/python'))).toBe('755');
    });

    it('or is refused where an entry is a link out of it', () => {
      const home = scratch();
      prepareHome(home);
      const elsewhere = scratchDirectory();
      symlinkSync(elsewhere, join(home.root, 'mongo'));
      expect(() => prepareHome(home)).toThrow(/mongo is a link, .*EVOLVE_HOME/);
    });

    // Attempt: files, settings and the machine.
    it('or is refused where another user has it, a file in it or a link to it', ({ skip }) => {
      const [whole, file] = [scratch(), scratch()];
      for (const home of [whole, file]) prepareHome(home);
      if (!givesAway(whole.root)) return skip('this machine lets nobody give files to another user');
      expect(() => prepareHome(whole)).toThrow(/belongs to another user \(uid 12345.*EVOLVE_HOME/);
      writeFileSync(join(file.root, 'keys.json'), '{}');
      givesAway(join(file.root, 'keys.json'));
      expect(() => prepareHome(file)).toThrow(/keys\.json belongs to another user/);
      const link = join(scratchDirectory(), 'link');
      symlinkSync(scratchDirectory(), link);
      givesAway(link);
      expect(() => prepareHome(resolveHome({ EVOLVE_HOME: link }))).toThrow(/is a link of another user/);
    });
  });

  describe('a folder of our own in a directory that all users share', () => {
    it('is made once, and kept from others', () => {
      const path = join(scratchDirectory(), 'shared', 'ours');
      expect([ownFolder(path), ownFolder(path)]).toEqual([path, path]);
      expect(statSync(path).mode & 0o777).toBe(0o700);
      chmodSync(path, 0o777);
      ownFolder(path);
      expect(statSync(path).mode & 0o777).toBe(0o700);
      expect(readdirSync(dirname(path))).toEqual(['ours']);
    });

    it('is refused where somebody put a link or a file there, or made it first', () => {
      const directory = scratchDirectory();
      symlinkSync(scratchDirectory(), join(directory, 'link'));
      writeFileSync(join(directory, 'file'), '');
      ownFolder(join(directory, 'theirs'));
      for (const name of ['link', 'file', ...(givesAway(join(directory, 'theirs')) ? ['theirs'] : [])])
        expect(() => ownFolder(join(directory, name)), name).toThrow(/is not a folder of this user's own .*TMPDIR/);
    });
  });
});
