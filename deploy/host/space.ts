// The room on the disk of a data directory, and the room that a run needs to go on.
import { existsSync, statfsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Bytes that others may use, and bytes of the whole disk. */
export type Space = { readonly free: number; readonly total: number };

/** A data directory is made by the first start; until then its disk is that of the folder above. */
const there = (path: string): string => (existsSync(path) ? path : there(dirname(path)));

export const spaceOf = async (path: string): Promise<Space> => {
  const { bavail, blocks, bsize } = await statfs(there(path));
  return { free: bavail * bsize, total: blocks * bsize };
};

/** File systems that several machines may have, by their number in statfs(2). */
const SHARED: ReadonlyMap<number, string> = new Map([
  ...[[0x6969, 'NFS'] as const, [0x517b, 'SMB'] as const, [0xfe534d42, 'SMB'] as const, [0xff534d42, 'CIFS'] as const],
  ...[[0xbd00bd0, 'Lustre'] as const, [0x47504653, 'GPFS'] as const, [0x19830326, 'BeeGFS'] as const],
  ...[[0xc36400, 'Ceph'] as const, [0x5346414f, 'AFS'] as const],
]);

/** What is wrong with a disk for databases; null for one of this machine. */
export const sharedDisk = (path: string, type = statfsSync(there(path)).type): string | null => {
  const name = SHARED.get(type >>> 0);
  return name === undefined
    ? null
    : `${path} is on ${name}: databases may lose data there, and another machine may start this data directory a second time; set EVOLVE_HOME to a directory on a disk of this machine`;
};

/** As much as `evolve up` asks for, or a twentieth of a small disk. */
const DEFAULT_LEAST = { bytes: 1024 ** 3, share: 0.05 };
const UNITS: Readonly<Record<string, number>> = { MB: 1e6, GB: 1e9, TB: 1e12 };

/** From a disk to the number of bytes that must be free on it. */
export type LeastFree = (space: Space) => number;

/** EVOLVE_LEAST_FREE: a size with its unit, or a share of the disk in percent. */
export const leastFree = (env: NodeJS.ProcessEnv): LeastFree => {
  const text = env['EVOLVE_LEAST_FREE'];
  if (!text) return ({ total }) => Math.min(DEFAULT_LEAST.bytes, DEFAULT_LEAST.share * total);
  const [, number, unit] = /^(\d{1,6}(?:\.\d{1,3})?) ?(MB|GB|TB|%)$/.exec(text) ?? [];
  if (number === undefined || unit === undefined || (unit === '%' && Number(number) > 90))
    throw new Error(
      `EVOLVE_LEAST_FREE: expected how much of the disk must stay free, for example 500MB, 2GB or 5% (at most 90%), got ${JSON.stringify(text.slice(0, 100))}`,
    );
  return unit === '%' ? ({ total }) => (Number(number) / 100) * total : () => Number(number) * UNITS[unit]!;
};

const size = (bytes: number): string =>
  bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(Math.ceil(bytes / 1e8) / 10).toFixed(1)} GB`;

/** The reason to write no more to the disk of `path`, with the missing size; null where there is room. */
export const shortage = (path: string, space: Space, least: LeastFree): string | null => {
  const needed = least(space);
  return space.free >= needed
    ? null
    : `the disk of ${path} is nearly full: ${size(space.free)} free, ${size(needed)} needed: make room for ${size(needed - space.free)}, or set EVOLVE_LEAST_FREE lower and run evolve up`;
};
