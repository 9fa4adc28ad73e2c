// The mmdebstrap recipe: a Debian root file system with Python 3.11 and the wheels, without a shell, as a tar that
// comes out the same each time.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { canRun, command, requirePackages } from './engine.ts';
import { installWheels } from './wheels.ts';
import { isRoot } from '../../host/run-command.ts';

export const SUITE = 'bookworm';
const PYTHON = '3.11';
const LIBRARY = 'usr/local/lib/python3.11/dist-packages';
/**
 * Files of the host or of the package management, which would differ from machine to machine and are of no use here.
 */
const DROP = [
  'etc/resolv.conf',
  'etc/hostname',
  'etc/apt',
  'etc/fstab',
  'etc/machine-id',
  'var/cache',
  'var/lib/apt',
  'var/lib/dpkg',
  'var/log',
  'usr/share/doc',
  'usr/share/man',
  'usr/share/info',
  'usr/share/locale',
  'usr/share/bash-completion',
  'usr/share/python3',
];

export type Layer = { readonly file: string; readonly digest: string };

/**
 * The first Debian mirror that the host itself uses, so that a private mirror keeps working. Undefined means
 * mmdebstrap's default.
 */
const hostMirror = async (): Promise<string | undefined> => {
  const files = [
    '/etc/apt/sources.list',
    ...(await readdir('/etc/apt/sources.list.d').catch(() => [])).map((name) => join('/etc/apt/sources.list.d', name)),
  ];
  for (const file of files) {
    const mirror = /(?:^URIs:|^deb\s(?:\[[^\]]*\]\s*)?)\s*(\S*\/debian\/?)(?:\s|$)/m.exec(
      await readFile(file, 'utf8').catch(() => ''),
    );
    if (mirror) return mirror[1];
  }
  return undefined;
};

/** Packages with what they need. Nothing of them is run, so that they come out the same each time, and for any user. */
const bootstrap = async (rootfs: string, packages: readonly string[]): Promise<void> => {
  const mirror = await hostMirror();
  await command('mmdebstrap', [
    '--quiet',
    '--variant=extract',
    ...(isRoot() ? [] : ['--mode=chrootless']),
    `--include=${packages.join(',')}`,
    '--architectures=amd64',
    SUITE,
    rootfs,
    ...(mirror ? [mirror] : []),
  ]);
};

/** The root file system is read-only at run time, so the byte code has to be there already. */
const compileAll = (rootfs: string): Promise<string> =>
  command(
    'unshare',
    [
      ...(isRoot() ? [] : ['--map-root-user']),
      `--root=${rootfs}`,
      '/usr/bin/python3',
      '-m',
      'compileall',
      '-q',
      '-j',
      '1',
      '--invalidation-mode',
      'unchecked-hash',
      '/usr/lib/python3.11',
      '/usr/lib/python3',
      `/${LIBRARY}`,
    ],
    { PYTHONHASHSEED: '0', LC_ALL: 'C.UTF-8' },
  );

const sha256 = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
};

type LayerOptions = {
  readonly workDir: string;
  readonly requirements: string;
  readonly cacheDir: string;
  readonly say: (line: string) => void;
};

export const buildLayer = (options: LayerOptions): Promise<Layer> =>
  layerOf(['python3', 'libstdc++6', 'base-files'], options, {
    install: (rootfs) =>
      installWheels({
        target: join(rootfs, LIBRARY),
        requirements: options.requirements,
        pythonVersion: PYTHON,
        cacheDir: options.cacheDir,
        say: options.say,
      }),
    end: compileAll,
  });

/** Debian packages as a layer on top of the image that `buildLayer` made. */
export const buildPackages = (
  packages: readonly string[],
  options: Pick<LayerOptions, 'workDir' | 'say'>,
  copied: readonly (readonly [from: string, to: string])[] = [],
): Promise<Layer> =>
  layerOf(packages, options, {
    install: (rootfs) => Promise.all(copied.map(([from, to]) => copyFile(join(rootfs, from), join(rootfs, to)))),
  });

type Filled = {
  readonly install?: (rootfs: string) => Promise<unknown>;
  readonly end?: (rootfs: string) => Promise<unknown>;
};

const layerOf = async (
  packages: readonly string[],
  { workDir, say }: Pick<LayerOptions, 'workDir' | 'say'>,
  { install, end }: Filled,
): Promise<Layer> => {
  if (!(await canRun('mmdebstrap', ['--version']))) await requirePackages(['mmdebstrap'], say);
  const rootfs = join(workDir, 'rootfs');
  await mkdir(workDir, { recursive: true });
  // Candidates run as nobody and must be able to read every file, whatever the umask of this process.
  const before = process.umask(0o022);
  try {
    await bootstrap(rootfs, packages);
    await chmod(rootfs, 0o755);
    await install?.(rootfs);
    await Promise.all(DROP.map((path) => rm(join(rootfs, path), { recursive: true, force: true })));
    await end?.(rootfs);
    return await packLayer(rootfs, workDir);
  } finally {
    process.umask(before);
  }
};

/** Makes the layer `layer.tar` of the folder, and removes the folder. */
const packLayer = async (rootfs: string, workDir: string): Promise<Layer> => {
  const file = join(workDir, 'layer.tar');
  await command(
    'tar',
    [
      '--create',
      '--file',
      file,
      '--directory',
      rootfs,
      '--sort=name',
      '--mtime=@0',
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '--format=gnu',
      '--exclude=./dev/*',
      '.',
    ],
    { LC_ALL: 'C' },
  );
  await rm(rootfs, { recursive: true, force: true });
  return { file, digest: await sha256(file) };
};
