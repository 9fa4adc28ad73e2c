// Resolves the packages of a task to pinned versions with hashes, for the Python of the image on which they will stand.
// pip does it on this machine, and takes wheels only, so that no code of theirs is run here.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requirementProblems } from '../../../evolution/task/requirements.ts';
import { packageName } from '../../../evolution/task/task-world.ts';
import { runCommand } from '../../host/run-command.ts';
import { findPip, wheelsFor } from '../evaluator/wheels.ts';
import { bounded } from './bounded.ts';
import { type ImagePython, shortPython } from './ask-image.ts';

export type Wanted = {
  /** Requirements as pip reads them, or the text of pyproject.toml. */
  readonly text: string;
  readonly project: boolean;
  readonly uvLock: string;
  /** Stands behind the version of Python in the first line. */
  readonly head: string;
};

type Options = {
  readonly python: Pick<ImagePython, 'version' | 'installed'>;
  readonly cacheDir: string;
  readonly say: (line: string) => void;
};

/** What pip says of a package that it cannot have; `package` is its name, where one is to blame. */
export class UnresolvedError extends Error {
  readonly package: string | null;
  constructor(message: string, named: string | null) {
    super(message);
    this.package = named;
  }
}

const MINUTES = 15;

/** The text of requirements.lock. Throws UnresolvedError. */
export const lockPackages = async (wanted: Wanted, { python, cacheDir, say }: Options): Promise<string> => {
  await mkdir(cacheDir, { recursive: true });
  const folder = await mkdtemp(join(cacheDir, 'lock-'));
  try {
    return await bounded(
      { what: 'looking for the packages', folders: [cacheDir], minutes: MINUTES },
      async (signal) => {
        const pip = new Pip({ python: await findPip(cacheDir, say), version: python.version, folder, signal });
        const { requirements, constraints, hashes } = wanted.project
          ? await pip.readProject(wanted)
          : { requirements: wanted.text, constraints: [], hashes: null };
        const installed = Object.entries(python.installed).map(([name, version]) => `${name}==${version}`);
        // What the image has already is taken as it is, unless something needs another version.
        const found =
          (await pip.resolve(requirements, [...constraints, ...installed]).catch((error: unknown) => {
            if (!(error instanceof UnresolvedError)) throw error;
            return null;
          })) ?? (await pip.resolve(requirements, constraints));
        const foreign = hashes === null ? undefined : found.find(({ sha256 }) => !hashes.has(`sha256:${sha256}`));
        if (foreign !== undefined)
          throw new UnresolvedError(
            `uv.lock has no ${foreign.pinned} for Python ${python.version}: run \`uv lock\``,
            foreign.name,
          );
        const options = wanted.project
          ? []
          : wanted.text.split(/\r?\n/).filter((line) => /^--(?:extra-)?index-url/.test(line));
        const lines = found.map(({ pinned, sha256 }) => `${pinned} --hash=sha256:${sha256}`).sort();
        return [`# Python ${shortPython(python)}, ${wanted.head}`, ...options, ...lines, ''].join('\n');
      },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

type Found = { readonly name: string; readonly pinned: string; readonly sha256: string };
type Report = {
  readonly install: readonly {
    readonly is_direct: boolean;
    readonly metadata: { readonly name: string; readonly version: string };
    readonly download_info: {
      readonly url: string;
      readonly archive_info?: { readonly hashes?: { readonly sha256?: string } };
    };
  }[];
};

const READ_PROJECT = `
import json, sys
try:
    import tomllib
except ImportError:
    from pip._vendor import tomli as tomllib
from pip._vendor.packaging.markers import Marker
from pip._vendor.packaging.specifiers import SpecifierSet
given = json.load(open(sys.argv[1]))
here = {"python_full_version": given["version"], "python_version": ".".join(given["version"].split(".")[:2]), "os_name": "posix", "sys_platform": "linux", "platform_system": "Linux", "platform_machine": "x86_64", "implementation_name": "cpython", "platform_python_implementation": "CPython"}
project = tomllib.loads(given["text"]).get("project", {})
locked = [one for one in tomllib.loads(given["uvLock"]).get("package", []) if "version" in one and "wheels" in one]
# A lock may have several versions of a package, for other platforms and versions of Python.
locked = [one for one in locked if any(Marker(text).evaluate(here) for text in one.get("resolution-markers", ["python_version >= '3'"]))]
wants = project.get("requires-python", "")
print(json.dumps({
    "requirements": "\\n".join(project.get("dependencies", [])),
    "constraints": [f"{one['name']}=={one['version']}" for one in locked],
    "hashes": [wheel["hash"] for one in locked for wheel in one["wheels"]],
    "other": "" if SpecifierSet(wants).contains(given["version"]) else wants,
}))`;

/** Names and versions come from uv.lock and from the image. */
const PINNED = /^[A-Za-z0-9][\w.-]*==[\w.+!]+$/;

type Run = {
  readonly python: string;
  /** The version for which packages are resolved. */
  readonly version: string;
  readonly folder: string;
  readonly signal: AbortSignal;
};

class Pip {
  readonly #run: Run;
  constructor(run: Run) {
    this.#run = run;
  }

  /** The dependencies in pyproject.toml, with the versions and hashes in uv.lock; `hashes` is null where it is empty. */
  async readProject({ text, uvLock }: Pick<Wanted, 'text' | 'uvLock'>) {
    const file = join(this.#run.folder, 'project.json');
    await writeFile(file, JSON.stringify({ text, uvLock, version: this.#run.version }));
    const { ok, stdout, error } = await runCommand(this.#run.python, ['-I', '-c', READ_PROJECT, file], {
      signal: this.#run.signal,
    });
    if (!ok) throw new UnresolvedError(`it cannot be read: ${error.split('\n').at(-1)}`, null);
    const read = JSON.parse(stdout) as {
      readonly requirements: string;
      readonly constraints: readonly string[];
      readonly hashes: readonly string[];
      readonly other: string;
    };
    if (read.other !== '')
      throw new UnresolvedError(
        `requires-python is ${read.other}, and the image has Python ${this.#run.version}`,
        null,
      );
    const [wrong] = requirementProblems(read.requirements);
    if (wrong !== undefined) throw new UnresolvedError(`dependencies: ${wrong.problem}`, null);
    return { ...read, hashes: uvLock === '' ? null : new Set(read.hashes) };
  }

  async resolve(requirements: string, constraints: readonly string[]): Promise<readonly Found[]> {
    const [wanted, held, report] = ['wanted.txt', 'held.txt', 'report.json'].map((name) =>
      join(this.#run.folder, name),
    ) as [string, string, string];
    await writeFile(wanted, `${requirements}\n`);
    await writeFile(held, constraints.flatMap((line) => (PINNED.test(line) ? `${line}\n` : [])).join(''));
    const { ok, error } = await runCommand(
      this.#run.python,
      [
        ...['-I', '-m', 'pip', 'install', '--dry-run', '--ignore-installed', '--retries', '2', '--report', report],
        ...['--target', join(this.#run.folder, 'nothing'), ...wheelsFor(shortPython({ version: this.#run.version }))],
        ...['--requirement', wanted, '--constraint', held],
      ],
      { signal: this.#run.signal },
    );
    this.#run.signal.throwIfAborted();
    if (!ok) throw await this.#unresolved(error);
    const { install } = JSON.parse(await readFile(report, 'utf8')) as Report;
    return install.map(({ metadata: { name, version }, download_info: { url, archive_info }, is_direct }) => {
      const sha256 = archive_info?.hashes?.sha256;
      if (sha256 === undefined) throw new UnresolvedError(`the registry names no sha256 of ${name} ${version}`, name);
      const direct = is_direct && url.startsWith('https:');
      return {
        name,
        sha256,
        pinned: direct ? `${packageName(name)} @ ${url.split('#')[0]}` : `${packageName(name)}==${version}`,
      };
    });
  }

  async #unresolved(error: string): Promise<UnresolvedError> {
    const python = shortPython({ version: this.#run.version });
    const conflict = /The conflict is caused by:\n([\s\S]*)/.exec(error)?.[1];
    if (/ResolutionImpossible/.test(error) || conflict !== undefined)
      return new UnresolvedError(
        `no versions of these fit together: ${(conflict ?? error)
          .trim()
          .split(/\s*\n\s*/)
          .join(', ')
          .slice(0, 400)}`,
        null,
      );
    const [, requirement, versions] =
      /satisfies the requirement (\S+?)(?: \(from [^()]*\))? \(from versions: ([^)]*)\)/.exec(error) ?? [];
    if (requirement === undefined) return new UnresolvedError(error.split('\n').slice(-3).join(' '), null);
    const name = /^[\w.-]+/.exec(requirement)?.[0] ?? requirement;
    if (/Temporary failure|Failed to establish|NewConnectionError|timed out/.test(error))
      return new UnresolvedError('the package index does not answer: pip reads PIP_INDEX_URL and pip.conf', name);
    if (versions !== 'none')
      return new UnresolvedError(
        `${requirement} has no wheel for Python ${python} on Linux; the newest that has one is ${versions!.split(', ').at(-1)}: ask for another version, or name an image that has it (image:)`,
        name,
      );
    // Without the demand for wheels, the registry says whether there are sources.
    const any = await runCommand(this.#run.python, ['-I', '-m', 'pip', 'index', 'versions', name], {
      signal: this.#run.signal,
    });
    return new UnresolvedError(
      any.ok
        ? `${requirement} has no wheel for Python ${python} on Linux, so a compiler or another Python would be needed: ask for another version, or name an image that has it (image:)`
        : `the registry has no package ${name}: is the name right?`,
      name,
    );
  }
}
