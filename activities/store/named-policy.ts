// The policy that people name as `<run>@<version>`. A run that went back and learned again has two policies of one
// version: the one that the run has now is meant, else the newest.
import { ConfigError } from '../../evolution/config/config-error.ts';
import { parsePolicyName } from '../../evolution/learning/policies.ts';
import type { PolicyDocument } from './learning-documents.ts';
import type { Store } from './store.ts';

type Reading = Pick<Store, 'listPolicies' | 'policyChain' | 'readRun'>;

/** Null where there is none. */
export const findPolicy = async (store: Reading, name: string): Promise<PolicyDocument | null> => {
  const named = parsePolicyName(name);
  if (named === null) return null;
  const { run, version } = named;
  const alike = (await store.listPolicies(run)).filter((one) => one.version === version);
  if (alike.length < 2) return alike[0] ?? null;
  const now = (await store.readRun(run))?.policy?.id ?? null;
  const chain = new Set((await store.policyChain(now)).map(({ _id }) => _id));
  const newest = alike.reduce((best, one) => (one.createdAt > best.createdAt ? one : best));
  return alike.find(({ _id }) => chain.has(_id)) ?? newest;
};

/** Throws where there is none; `setting` names what to change. */
export const namedPolicy = async (store: Reading, name: string, setting: string): Promise<PolicyDocument> => {
  const found = await findPolicy(store, name);
  if (found !== null) return found;
  const [run = ''] = name.split('@');
  const versions = (await store.listPolicies(run)).map((one) => one.version);
  throw new ConfigError([
    `${setting}: expected a policy as <run>@<version>, got ${name}: ${versions.length === 0 ? `${run} has no policies` : `${run} has the versions ${[...new Set(versions)].join(', ')}`} (\`evolve policies ${run}\`)`,
  ]);
};
