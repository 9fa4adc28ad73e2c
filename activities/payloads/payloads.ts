// What clients and workers of this installation give the SDK as data converter: how payloads are read, and how they are
// encrypted where keys are given.
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import { fileURLToPath } from 'node:url';
import { createPayloadCodec, NO_KEYS } from './codec.ts';
import { checkOf, PayloadKeyError, type PayloadKeys } from './keys.ts';

/** The checks of all keys that this installation has encrypted with, by id. The store keeps them. */
export type KeyChecks = { readonly [id: string]: string };
export type KeyRegister = {
  readonly payloadKeys: () => Promise<KeyChecks>;
  /** Keeps a check unless there is one of this id, and resolves to those that are then there. */
  readonly keepPayloadKey: (id: string, check: string) => Promise<KeyChecks>;
};

export type Payloads = {
  readonly codec: PayloadCodec;
  readonly ofClient: DataConverter;
  readonly ofWorker: DataConverter;
};

/** Anybody may start a workflow with a memo that cannot be read; without this no list could be read beside it. */
const READS_ANYTHING = fileURLToPath(new URL('../../workflows/messages/unreadable.ts', import.meta.url));
const ENCODED_FAILURES = fileURLToPath(new URL('./encoded-failures.ts', import.meta.url));

const compare = (checks: KeyChecks, { keys, from }: PayloadKeys): void => {
  for (const [id, check] of Object.entries(checks)) {
    const key = keys.get(id);
    if (key === undefined)
      throw new PayloadKeyError(
        `this installation encrypts payloads with the key ${id}: expected it in ${from}, got ${keys.size === 0 ? 'no key' : [...keys.keys()].join(', ')}. Add it there (docs/operations/deployment.md), or name it \`${id}:retired\` once nothing that it encrypted is kept any more`,
      );
    if (key !== null && checkOf(key) !== check)
      throw new PayloadKeyError(
        `the key ${id} in ${from} is not the one with which this installation encrypts: expected one with the check ${check}, got ${checkOf(key)}. Copy it from a host that has it, or give a new key an id of its own`,
      );
  }
};

/**
 * Throws PayloadKeyError where these are not the keys of the installation, before anything is read or written with them.
 * A key that encrypts is made known first, so that a process without it knows that it lacks it.
 */
export const agreeOnKeys = async (given: PayloadKeys | null, register: KeyRegister): Promise<void> => {
  const keys = given ?? NO_KEYS;
  compare(await register.payloadKeys(), keys);
  const key = keys.writes === null ? null : keys.keys.get(keys.writes);
  if (key && keys.writes !== null) compare(await register.keepPayloadKey(keys.writes, checkOf(key)), keys);
};

/** `inUse` is asked of keys that are missing here (codec.ts). */
export const payloadsWith = (given: PayloadKeys | null, inUse: (id: string) => Promise<boolean>): Payloads => {
  const keys = given ?? NO_KEYS;
  const codec = createPayloadCodec(keys, inUse);
  const payloadCodecs = [codec];
  return {
    codec,
    ofClient: { payloadConverterPath: READS_ANYTHING, payloadCodecs },
    ofWorker: { payloadCodecs, ...(keys.writes === null ? {} : { failureConverterPath: ENCODED_FAILURES }) },
  };
};

/** Of clients and workers where nothing is encrypted. */
export const PLAIN_PAYLOADS = payloadsWith(null, async () => false);
