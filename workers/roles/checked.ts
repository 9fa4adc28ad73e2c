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

type Check = { readonly evaluatorDigest: string; readonly trust: Trust | null; readonly ok: boolean };

/** A check of some parts alone, in which all is well, takes back nothing that an earlier one found. */
export const noteChecked = (home: string, { evaluatorDigest, trust, ok }: Check): void => {
  const before = checkedIn(home)(evaluatorDigest);
  const higher = TRUST.findLast((one) => one === before || one === trust) ?? null;
  writeJsonAtomically(fileIn(home), { ...readIn(home), [evaluatorDigest]: ok ? higher : trust });
};
