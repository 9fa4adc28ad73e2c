// What checks of tasks found on this host, by the digest of the evaluator: the runs that begin here have that rung.
import { join } from 'node:path';
import { readJsonOrNull, writeJsonAtomically } from '../../deploy/host/files.ts';
import { TRUST, type Trust } from '../../evolution/task/trust.ts';

const fileIn = (home: string): string => join(home, 'checked.json');
const readIn = (home: string): { readonly [digest: string]: unknown } => readJsonOrNull(fileIn(home)) ?? {};

export const checkedIn =
  (home: string) =>
  (evaluatorDigest: string): Trust | null =>
    TRUST.find((one) => one === readIn(home)[evaluatorDigest]) ?? null;

export const noteChecked = (home: string, evaluatorDigest: string, trust: Trust | null): void =>
  writeJsonAtomically(fileIn(home), { ...readIn(home), [evaluatorDigest]: trust });
