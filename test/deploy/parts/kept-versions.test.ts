// Which of two versions of one release is newer, where several homes share their parts.
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { askFor, forgetVersions, keepVersion, releaseOf } from '../../../deploy/versions/kept-versions.ts';

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'kept-versions-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
};
const bundleIn = (parts: string, name: string, atSeconds: number): string => {
  const bundle = join(parts, `${name}.js`);
  writeFileSync(bundle, '');
  utimesSync(bundle, atSeconds, atSeconds);
  return bundle;
};

test('`evolve up` of one home makes no version newer in another one with the same parts', () => {
  const [parts, one, other] = [folder(), folder(), folder()];
  const bundle = bundleIn(parts, 'shared', 1_000);
  askFor(one, bundle);
  const { sinceMs } = releaseOf(one, bundle);
  expect(sinceMs).toBeGreaterThan(Date.now() - 600_000);
  // What a person made the current one meanwhile stays so.
  askFor(other, bundle);
  utimesSync(bundle, 4_000_000_000, 4_000_000_000);
  expect(releaseOf(one, bundle).sinceMs).toBe(sinceMs);
  // The bundle itself may be removed from the parts.
  rmSync(bundle);
  expect(releaseOf(one, bundle).sinceMs).toBe(sinceMs);
});

test('a bundle that no `evolve up` asked for is as new as its file, and what is known of one goes with it, but for when it was asked for', () => {
  const [parts, home] = [folder(), folder()];
  expect(releaseOf(home, bundleIn(parts, 'alone', 1_000)).sinceMs).toBe(1_000_000);
  for (let n = 0; n < 10; n += 1) {
    const bundle = bundleIn(parts, `build-${n}`, 1_000 + n);
    askFor(home, bundle);
    keepVersion(home, bundle);
  }
  forgetVersions(home, new Set());
  const left = readdirSync(join(home, 'versions'));
  expect(left.filter((name) => name.endsWith('.js'))).toHaveLength(8);
  for (const name of left.filter((name) => !name.endsWith('.asked')))
    expect(existsSync(join(home, 'versions', name.replace(/\.\w+$/, '.js')))).toBe(true);
  // A worker of it may still be there, or come back, while another home asks for the bundle that both share.
  const oldest = join(parts, 'build-0.js');
  const { sinceMs } = releaseOf(home, oldest);
  expect(sinceMs).toBeGreaterThan(Date.now() - 600_000);
  utimesSync(oldest, 4_000_000_000, 4_000_000_000);
  expect(releaseOf(home, oldest).sinceMs).toBe(sinceMs);
});
