// Records which kind of server wrote the directory mongo/, because two kinds that use one directory in turn give wrong
// answers.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonOrNull, writeJsonAtomically } from '../../host/files.ts';
import type { Home } from '../../host/home.ts';
import { SetupError } from '../../host/run-command.ts';

export const LOCAL_KINDS = ['mongod', 'docker', 'secantusdb'] as const;
export type LocalKind = (typeof LOCAL_KINDS)[number];
export type DatabaseMarker = { readonly kind: LocalKind; readonly version: string };

export const databaseDirectory = (home: Home): string => join(home.root, 'mongo');
const markerFile = (home: Home): string => join(databaseDirectory(home), 'evolve-database.json');

/** Returns null for a directory that no server has written. Throws when it holds data of unknown origin. */
export const readMarker = (home: Home): DatabaseMarker | null => {
  const marker = readJsonOrNull<Partial<DatabaseMarker>>(markerFile(home));
  const kind = LOCAL_KINDS.find((known) => known === marker?.kind);
  if (kind && typeof marker?.version === 'string') return { kind, version: marker.version };
  const directory = databaseDirectory(home);
  if (!existsSync(directory) || readdirSync(directory).length === 0) return null;
  throw new SetupError(
    `${directory} holds data and no readable evolve-database.json that says which server wrote it: restore that file ({"kind", "version"}), or move the directory away to start an empty database`,
  );
};

/** MongoDB opens files of the same release series; SecantusDB promises nothing between versions. */
const series = (marker: DatabaseMarker): string =>
  marker.kind === 'secantusdb' ? marker.version : marker.version.split('.').slice(0, 2).join('.');

const describe = ({ kind, version }: DatabaseMarker): string => `${kind} ${version}`;

/** Throws when the server about to be started is not the one that wrote the directory. */
export const refuseOtherKind = (home: Home, wanted: DatabaseMarker): void => {
  const written = readMarker(home);
  if (written === null || (written.kind === wanted.kind && series(written) === series(wanted))) return;
  throw new SetupError(
    `${databaseDirectory(home)} was written by ${describe(written)} and would be opened by ${describe(wanted)}: a directory is never opened by another kind or version. Make ${describe(written)} available again, or export the runs with it (\`npx evolve export <run>\`), move the directory away and take them in with \`npx evolve import <folder>\``,
  );
};

export const writeMarker = (home: Home, marker: DatabaseMarker): void => {
  const written = readMarker(home);
  if (written?.kind === marker.kind && written.version === marker.version) return;
  mkdirSync(databaseDirectory(home), { recursive: true, mode: 0o700 });
  writeJsonAtomically(markerFile(home), marker);
};
