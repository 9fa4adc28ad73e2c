// The list of prices of a home: made of a file in models.dev's form, and read by each process that prices a run.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../../evolution/config/config-error.ts';
import { schemaProblems } from '../../evolution/config/problems.ts';
import { type PriceData, PRICES } from '../../evolution/budget/prices.ts';
import { GIVEN_BYTES, GivenFileError, readGiven } from '../given-file.ts';
import { writeWhole } from '../whole-file.ts';

const fileOf = (home: string): string => join(home, 'models.json');

/** Providers of which models.dev names no address. */
const HOSTS: { readonly [provider: string]: readonly string[] } = {
  anthropic: ['api.anthropic.com'],
  cerebras: ['api.cerebras.ai'],
  cohere: ['api.cohere.ai', 'api.cohere.com'],
  deepinfra: ['api.deepinfra.com'],
  google: ['generativelanguage.googleapis.com'],
  groq: ['api.groq.com'],
  mistral: ['api.mistral.ai'],
  openai: ['api.openai.com'],
  togetherai: ['api.together.xyz', 'api.together.ai'],
  xai: ['api.x.ai'],
};

const usd = z.number({ error: 'US dollars per million tokens' }).min(0, 'US dollars per million tokens').max(1e6);
/** What of models.dev's `api.json` counts here. */
const mapping = 'a mapping';
const LIST = z.record(
  z.string(),
  z.object(
    {
      api: z.string({ error: 'an address' }).optional(),
      models: z.record(
        z.string(),
        z.object(
          {
            cost: z.object({ input: usd, output: usd, cache_read: usd.optional() }, { error: mapping }).optional(),
            modalities: z
              .object({ output: z.array(z.string(), { error: 'a list' }).optional() }, { error: mapping })
              .optional(),
          },
          { error: mapping },
        ),
        { error: mapping },
      ),
    },
    { error: mapping },
  ),
  { error: 'providers with their models' },
);

/** The chat models of the list that cost something, where the provider's host is known. */
const dataOf = (list: z.infer<typeof LIST>, asOf: string): PriceData => ({
  source: 'models.dev',
  asOf,
  providers: Object.fromEntries(
    Object.entries(list).flatMap(([provider, { api = '', models }]) => {
      const host = URL.parse(api)?.hostname;
      const hosts = HOSTS[provider] ?? (host === undefined ? [] : [host]);
      const priced = Object.entries(models).flatMap(([name, { cost, modalities }]) =>
        cost === undefined || cost.input + cost.output === 0 || modalities?.output?.includes('text') === false
          ? []
          : [[name, [cost.input, cost.output, ...(cost.cache_read === undefined ? [] : [cost.cache_read])]] as const],
      );
      return hosts.length === 0 || priced.length === 0
        ? []
        : [[provider, { hosts, models: Object.fromEntries(priced) }] as const];
    }),
  ),
});

const jsonIn = (file: string): unknown => {
  try {
    return JSON.parse(readGiven(file, { maxBytes: GIVEN_BYTES.text }));
  } catch (error) {
    if (!(error instanceof GivenFileError || error instanceof SyntaxError)) throw error;
    throw new ConfigError([`${file}: expected models.dev's api.json: ${error.message}`]);
  }
};

/** Takes a list in the form of models.dev's api.json. Its day is that of the file. Throws ConfigError. */
export const takePriceFile = (home: string, file: string): PriceData => {
  const json = jsonIn(file);
  const read = LIST.safeParse(json);
  if (!read.success) throw new ConfigError(schemaProblems(read.error.issues, json, () => file, LIST).slice(0, 1));
  const data = dataOf(read.data, statSync(file).mtime.toISOString().slice(0, 10));
  if (Object.keys(data.providers).length === 0)
    throw new ConfigError([`${file}: expected models.dev's api.json, got no model with a cost`]);
  writeWhole(fileOf(home), JSON.stringify(data));
  PRICES.use(data);
  return data;
};

const KEPT = z.object({
  source: z.string(),
  asOf: z.string(),
  providers: z.record(
    z.string(),
    z.object({ hosts: z.array(z.string()), models: z.record(z.string(), z.array(usd).min(2)) }),
  ),
});

const keptIn = (file: string): PriceData | null => {
  try {
    return KEPT.safeParse(jsonIn(file)).data ?? null;
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
};

/** To be called before a process reads settings. A file that is no list counts as none: the sentence says so, else null. */
export const usePriceFile = (home: string): string | null => {
  const file = fileOf(home);
  const isThere = statSync(file, { throwIfNoEntry: false }) !== undefined;
  const kept = isThere ? keptIn(file) : null;
  PRICES.use(kept);
  return isThere && kept === null
    ? `${file}: expected a list of prices, got another text, which counts as none: write it anew with \`npx evolve models update <file>\``
    : null;
};
