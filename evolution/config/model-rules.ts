// What the models of a run need to work together: an address, a name of their own, a price where cost is limited, somebody
// for each role that is asked for. Called by rules.ts.
import type { Role } from '../types.ts';
import { modelPool, modelsFor } from './models.ts';
import { OFFLINE_MODEL } from './offline.ts';
import { priceOf } from './prices.ts';
import type { ModelSettings, RunConfig } from './run-config.ts';
import type { Clash } from './clash.ts';

/** Every rule that a model breaks; the first model's keys are under `model`, the others' under `models.0`, `models.1` and so on. */
export const modelClashes = (config: RunConfig): readonly Clash[] => {
  const pool = modelPool(config);
  return [...unserved(config), ...pool.flatMap((model, index) => {
    const at = index === 0 ? 'model' : `models.${index - 1}`;
    return [
      ...unpriced(config, model, at), ...endpoint(model, at), ...offlineName(model, at),
      ...(pool.findIndex(({ name }) => name === model.name) < index
        ? [{ keys: [`${at}.name`], message: `expected a name of its own, got ${model.name}, which an earlier model has` }] : []),
    ];
  })];
};

/** Roles that the run asks for, and none of its models has. */
const unserved = (config: RunConfig): readonly Clash[] =>
  rolesOf(config).filter(({ role }) => modelsFor(config, role).length === 0).map(({ role, why, wayOut = '' }) => ({
    keys: ['model.roles', ...config.models.map((_, index) => `models.${index}.roles`), ...(role === 'judge' ? ['ideation.gate', 'ideation.kind'] : [])],
    message: `expected a model with the role ${role}, ${why}, got none: add ${role} to model.roles, or add a model with that role to models${wayOut}`,
  }));

type Wanted = { readonly role: Role; readonly why: string; readonly wayOut?: string };
const rolesOf = ({ ideation, exploration }: RunConfig): readonly Wanted[] => [
  { role: 'exploit', why: 'which writes programs' },
  ...(exploration.schedule === 'none' ? [] : [{ role: 'explore' as const, why: 'which writes programs that explore' }]),
  ...(exploration.metaPrompt ? [{ role: 'meta' as const, why: 'which edits prompts' }] : []),
  ...(ideation.kind === 'none' ? [] : [{ role: 'idea' as const, why: 'which proposes ideas' }]),
  ...(ideation.kind === 'none' || ideation.gate === 'off' ? [] : [{
    role: 'judge' as const, why: 'which scores ideas (no model is one by default)',
    wayOut: ' (a reward model, or any model as a prompt-only judge), or set ideation.gate to off',
  }]),
];

const unpriced = ({ limits }: RunConfig, model: ModelSettings, at: string): readonly Clash[] =>
  (limits.costUsd !== null && priceOf(model) === null
    ? [{ keys: ['limits.costUsd', `${at}.price`], message: `a limit on cost needs ${at}.price (of ${model.name}; {in, out} in USD per million tokens), else the cost is not known` }] : []);

const endpoint = ({ kind, baseUrl }: ModelSettings, at: string): readonly Clash[] => {
  const keys = [`${at}.baseUrl`, `${at}.kind`, `${at}.name`];
  if (kind === 'openai' && baseUrl === null) {
    const wayOut = at === 'model' ? 'set OPENAI_BASE_URL or --base-url, or take the offline model with --model offline' : `set ${at}.baseUrl`;
    return [{ keys, message: `expected the URL of an endpoint, got none: ${wayOut}` }];
  }
  return kind === 'offline' && baseUrl !== null
    ? [{ keys, message: `the offline model has no address of its own, got ${baseUrl}: leave it out, or set ${at}.kind to openai` }] : [];
};

const offlineName = ({ kind, name }: ModelSettings, at: string): readonly Clash[] =>
  (kind === 'offline' && name !== OFFLINE_MODEL
    ? [{ keys: [`${at}.name`, `${at}.kind`], message: `the offline model is named ${OFFLINE_MODEL}, got ${name}: name it so, or set ${at}.kind to openai` }] : []);
