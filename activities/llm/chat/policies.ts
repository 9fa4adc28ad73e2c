// A model of the settings that is a policy: which version answers, where, and that no other one's answer is taken for
// it. The policy of a run that learns is decided when a step is planned; `model.policy` names one of any run.
import { ApplicationFailure } from '@temporalio/activity';
import type { ModelSettings, RunConfig } from '../../../evolution/config/run-config.ts';
import { modelsFor } from '../../../evolution/models/ensemble.ts';
import type { Role } from '../../../evolution/types.ts';
import { missing } from '../../run/step-summary.ts';
import { namedPolicy } from '../../store/learning/named-policy.ts';
import type { PolicyDocument, Sample } from '../../store/documents/learning-documents.ts';
import type { Store } from '../../store/store.ts';
import { type ChatRequest, type ChatResponse, type Choice, type ModelClient, ModelError } from './client.ts';

/** `baseUrl` is null for the trainer's server of this data directory. `learns`: its tokens are wanted. */
export type Served = Pick<PolicyDocument, '_id' | 'model' | 'baseUrl'> & { readonly learns: boolean };

const isPolicy = ({ trainable, policy }: ModelSettings): boolean => trainable || (policy ?? null) !== null;

/**
 * The models that may be asked in place of each other. A policy stands for itself alone: another one's answers would be
 * learned from as its own, and those of another model would make its group smaller without a word.
 */
export const poolOf = (
  config: Pick<RunConfig, 'model' | 'models'>,
  role: Role,
  drawn: ModelSettings,
): readonly ModelSettings[] =>
  isPolicy(drawn) ? [drawn] : modelsFor(config, role).filter((model) => !isPolicy(model));

/** The roles that a policy is trained on: edited prompts and repaired deltas have no reward of their own. */
const LEARNED: ReadonlySet<Role> = new Set(['exploit', 'explore', 'idea', 'judge']);

/**
 * The policy as which a model is asked; null for a model that is none. `frozen` is what the step's plan says; where it
 * says none, the run has not begun to learn, and the model's own endpoint is asked.
 */
export const servedAs = async (
  store: Pick<Store, 'readPolicy' | 'listPolicies' | 'policyChain' | 'readRun'>,
  model: ModelSettings,
  { frozen, role }: { readonly frozen: string | undefined; readonly role: Role },
): Promise<Served | null> => {
  if (model.trainable) {
    if (frozen === undefined) {
      if (model.baseUrl !== null) return null;
      throw ApplicationFailure.nonRetryable(
        `${model.name} has no policy yet that could answer: this step was planned before its first one was there, and model.baseUrl names no endpoint to ask instead. Steps that begin later ask the policy`,
        'ModelRefused',
      );
    }
    const policy = await store.readPolicy(frozen);
    if (policy === null) throw missing(`policy ${frozen}`);
    return { _id: policy._id, model: policy.model, baseUrl: policy.baseUrl, learns: LEARNED.has(role) };
  }
  if ((model.policy ?? null) === null) return null;
  const policy = await namedPolicy(store, model.policy!, 'model.policy');
  return { _id: policy._id, model: policy.model, baseUrl: policy.baseUrl, learns: false };
};

/** Asks the client, and takes no other version's answer for that of the policy. */
export const askAs = async (
  client: Pick<ModelClient, 'chat'>,
  request: ChatRequest,
  served: Served | null,
  signal: AbortSignal,
): Promise<ChatResponse> => {
  const answer = await client.chat(request, signal);
  if (served !== null && answer.model !== served.model)
    throw new ModelError(
      `expected an answer of policy ${served.model}, got one of ${answer.model}: it is not stored, because the policy would learn from what another one wrote. The server must have one name for each version (learning.serve, learning.serveUrl)`,
      { status: 200, fatal: false, retryAfterMs: null, usage: answer.usage },
    );
  return answer;
};

/** One answer with its ids and logprobs is read as a whole, so a request is for so many tokens at most. */
const TOKENS_AT_ONCE = 65_536;

/** The number of responses of a model that learns in one request. */
export const responsesAtOnce = ({ maxTokens }: Pick<ModelSettings, 'maxTokens'>): number =>
  Math.max(1, Math.floor(TOKENS_AT_ONCE / maxTokens));

type Place = Pick<Sample, 'id' | 'run' | 'step' | 'epoch' | 'group' | 'role' | 'text'>;

/**
 * Stores the tokens of the answers that are to be learned from, and gives each answer with the text that is to be
 * stored for it. Where another attempt stored the tokens of its own answer before, that answer's text counts, so that a
 * text and its tokens always belong together. An answer whose tokens cannot be used has none stored.
 */
export const storeSamples = async (
  store: Pick<Store, 'putSamples' | 'getSamples'>,
  served: Served | null,
  answers: readonly { readonly choice: Choice; readonly place: Place }[],
): Promise<ReadonlyMap<string, Pick<Sample, 'text' | 'finishReason'>>> => {
  if (served?.learns !== true) return new Map();
  const samples = answers.flatMap(({ choice: { sampled, finishReason }, place }): readonly Sample[] =>
    sampled === undefined || 'broken' in sampled
      ? []
      : [{ ...place, ...sampled, policy: served._id, truncated: finishReason === 'length', finishReason }],
  );
  if (samples.length === 0) return new Map();
  await store.putSamples(samples);
  return store.getSamples(answers.map(({ place }) => place.id));
};
