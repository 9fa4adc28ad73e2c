// The reference of settings, made from the schema: the JSON Schema for editors, and the table of docs/configuration.md.
import { z } from 'zod';
import { OFFLINE_EVALUATION, OFFLINE_POPULATION, OFFLINE_PROMPT, OFFLINE_SIZE } from '../config/offline.ts';
import { completeSchema, settingsSchema } from '../config/settings.ts';
import { changeOf } from './change.ts';
import { defaultsFor } from './defaults.ts';

/** The part of a JSON Schema that the reference and forms read. */
export type SchemaNode = {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly anyOf?: readonly SchemaNode[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: SchemaNode;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
};

/** The JSON Schema of a configuration file. */
export const jsonSchema = (): object => ({
  ...z.toJSONSchema(settingsSchema, { io: 'input' }),
  title: 'DurableEvolve run configuration',
});

/** The sentence on the smaller defaults of the offline model. */
export const offlineSentence = (): string =>
  `With the offline model, what is not set is smaller in methods with large steps (theta, static): batch ${OFFLINE_SIZE.batch}, responses ${OFFLINE_SIZE.responses}, ` +
  `limits.steps ${OFFLINE_SIZE.steps}, population.islands ${OFFLINE_POPULATION.islands}, population.cap ${OFFLINE_POPULATION.cap}, ` +
  `population.archive ${OFFLINE_POPULATION.archive}, ` +
  `price 0. In every method: at most ${OFFLINE_SIZE.steps} steps, evaluation.cpuSeconds ${OFFLINE_EVALUATION.cpuSeconds} (not for a folder outside of tasks/). prompt.priorPrograms ${OFFLINE_PROMPT.priorPrograms} in theta only.`;

/** A Markdown table for each section; defaults are those of `theta` with a real model. */
export const settingsTable = (): string => {
  const root = z.toJSONSchema(completeSchema, { io: 'input' }) as SchemaNode;
  const { model, ...rest } = defaultsFor({ model: { kind: 'openai' } });
  const defaults: Record<string, unknown> = {
    ...rest,
    model: { ...model, kind: 'offline, unless a model is named', name: null },
  };
  const entries = Object.entries(root.properties ?? {});
  const section = (
    title: string,
    prefix: string,
    nodes: readonly (readonly [string, SchemaNode])[],
    values: Record<string, unknown>,
  ): string =>
    [
      `### ${title}`,
      '',
      '| key | value | default | can change | meaning |',
      '| --- | --- | --- | --- | --- |',
      ...nodes.map(
        ([key, node]) =>
          `| \`${prefix}${key}\` | ${typeText(node)} | ${shown(values[key])} | ${changeOf(`${prefix}${key}`)} | ${node.description ?? ''} |`,
      ),
    ].join('\n');
  return [
    section(
      'Run',
      '',
      entries
        .filter(([, node]) => node.type !== 'object')
        .map(([key, node]) => [key, key === 'models' ? asModels(node) : node]),
      defaults,
    ),
    ...entries
      .filter(([, node]) => node.type === 'object')
      .map(([key, node]) =>
        section(key, `${key}.`, Object.entries(node.properties ?? {}), defaults[key] as Record<string, unknown>),
      ),
  ].join('\n\n');
};

/** The entries of `models` have a table of their own, that of `model`. */
const asModels = (node: SchemaNode): SchemaNode => ({ ...node, items: { title: 'mappings with the keys of `model`' } });

/** Type and range in words, for Markdown. */
export const typeText = (node: SchemaNode): string => {
  if (Array.isArray(node.type)) return node.type.map((type: string) => typeText({ ...node, type })).join(' or ');
  if (node.anyOf) return node.anyOf.map(typeText).join(' or ');
  if (node.enum) return node.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (node.const !== undefined) return `\`${String(node.const)}\``;
  if (node.type === 'array') return `list of ${node.items?.title ?? typeText(node.items ?? {})}`;
  if (node.type === 'object') return `{${Object.keys(node.properties ?? {}).join(', ')}}`;
  if (node.type === 'integer') return `whole number${range(node)}`;
  if (node.type === 'number') return `number${range(node)}`;
  return node.type === 'boolean' ? '`true`, `false`' : node.type === 'null' ? 'null' : 'text';
};

const range = ({ minimum, maximum, exclusiveMinimum }: SchemaNode): string => {
  const low = exclusiveMinimum !== undefined ? `> ${exclusiveMinimum}` : minimum !== undefined ? `≥ ${minimum}` : '';
  const high = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? `≤ ${maximum}` : '';
  const both = [low, high].filter((part) => part !== '').join(', ');
  return both === '' || low.includes('-9007') ? '' : ` (${both})`;
};

const shown = (value: unknown): string => {
  if (Array.isArray(value)) return value.join(', ') || 'none';
  if (value === null || value === undefined) return 'none';
  if (typeof value !== 'object') return `\`${String(value)}\``;
  return Object.entries(value)
    .map(([key, inner]) => `${key} ${String(inner)}`)
    .join(', ');
};
