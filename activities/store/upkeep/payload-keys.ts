// Checks of the keys with which this installation encrypts payloads. They stand beside the identity of the database, as
// what is true of the whole installation; the keys themselves are nowhere in the database.
import type { PortableCollection } from '../documents/collection.ts';
import type { IdentityDocument } from '../documents/identity.ts';

type Checks = { readonly [id: string]: string };
export type PayloadKeysDocument = {
  readonly _id: 'payload-keys';
  /** How many keys there are: whoever adds one has to know all others. */
  readonly count: number;
  readonly checks: readonly (readonly [id: string, check: string])[];
};

const ID = 'payload-keys';

export const payloadKeysIn = (identity: PortableCollection<IdentityDocument>) => {
  const collection = identity as unknown as PortableCollection<PayloadKeysDocument>;
  const payloadKeys = async (): Promise<Checks> => Object.fromEntries((await collection.get(ID))?.checks ?? []);
  const keepPayloadKey = async (id: string, check: string): Promise<Checks> => {
    for (;;) {
      const known = await payloadKeys();
      if (Object.hasOwn(known, id)) return known;
      const checks = [...Object.entries(known), [id, check] as const];
      if (await collection.upsert(ID, { count: checks.length - 1 }, { count: checks.length, checks }))
        return Object.fromEntries(checks);
    }
  };
  return { payloadKeys, keepPayloadKey };
};
