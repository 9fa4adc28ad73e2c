// The policy that people name as `<run>@<version>`. A run that went back and learned again has two policies of one
// version: the one that the run has now is meant, else the newest.
import { ConfigError } from '../../../evolution/config/config-error.ts';
import { parsePolicyName } from '../../../evolution/learning/policies.ts';
import type { PolicyDocument } from '../documents/learning-documents.ts';
import type { RunStore } from '../documents/run-store.ts';
import type { LearningStore } from './learning-store.ts';

type Reading = Pick<LearningStore, 'listPolicies' | 'policyChain'> & Pick<RunStore, 'readRun'>;

/** Null where there is none. A fork has those of the run that it comes from, up to where it was forked off. */
export const findPolicy = async (store: Reading, name: string): Promise<PolicyDocument | null> => {
  const named = parsePolicyName(name);
  if (named === null) return null;
  const { run, version } = named;
  const isMeant = (policy: PolicyDocument): boolean => policy.version === version;
  const chain = await store.policyChain((await store.readRun(run))?.policy?.id ?? null);
  const others = (await store.listPolicies(run)).filter(isMeant);
  const newest = others.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())[0] ?? null;
  return chain.find(isMeant) ?? newest;
};

/** Throws where there is none; `setting` names what to change. */
export const namedPolicy = async (store: Reading, name: string, setting: string): Promise<PolicyDocument> => {
  const policy = await findPolicy(store, name);
  if (policy !== null) return policy;
  const [run = ''] = name.split('@');
  const versions = (await store.listPolicies(run)).map((one) => one.version);
  throw new ConfigError([
    `${setting}: expected a policy as <run>@<version>, got ${name}: ${versions.length === 0 ? `${run} has no policies` : `${run} has the versions ${[...new Set(versions)].join(', ')}`} (\`evolve policies ${run}\`)`,
  ]);
};
