// List prices of models, by the provider at whose host they are asked. They are no offers: whoever knows the endpoint's
// price sets `model.price`. A run stores the price that it began with.
import type { ModelSettings, RunConfig } from '../config/run-config.ts';
import shipped from './price-list.json' with { type: 'json' };

/** US dollars per million tokens in, out and, where it is known, read from the endpoint's cache. */
type Cost = readonly number[];
export type PriceData = {
  readonly source: string;
  /** The day of the list. */
  readonly asOf: string;
  readonly providers: {
    readonly [provider: string]: {
      /** Where the list has it from another place. */
      readonly source?: string;
      readonly hosts: readonly string[];
      readonly models: { readonly [name: string]: Cost };
    };
  };
};
type Price = NonNullable<ModelSettings['price']>;
type Asked = Pick<ModelSettings, 'kind' | 'name' | 'baseUrl'>;

/** The makers whose names no other model has. These count at hosts that nobody knows, such as a gateway of one's own. */
const MAKERS = ['openai', 'anthropic', 'google', 'xai', 'codeevolve'];

class PriceList {
  #lists: readonly PriceData[] = [shipped];

  /** A list that counts before the shipped one; null for none. */
  use(data: PriceData | null): void {
    this.#lists = data === null ? [shipped] : [data, shipped];
  }

  get newest(): PriceData {
    return this.#lists[0]!;
  }

  /** The price that a list has for the model; null where none has one. */
  find({ kind, name, baseUrl }: Asked): Price | null {
    if (kind !== 'openai') return null;
    for (const { source, asOf, providers } of this.#lists) {
      const at = providerAt(providers, baseUrl);
      for (const provider of at === null ? MAKERS : [at]) {
        const { models = {}, source: own = `${source} ${asOf}` } = providers[provider] ?? {};
        const [input, output, cached] = (Object.hasOwn(models, name) && models[name]) || [];
        if (input === undefined || output === undefined) continue;
        const listed = `${own}: ${provider}/${name}`;
        return { in: input, out: output, ...(cached === undefined ? {} : { cached }), listed };
      }
    }
    return null;
  }

  /** True for a price that somebody set, or that was found for this model at this provider, perhaps in an older list. */
  #holds(price: Price, { name, baseUrl }: Asked): boolean {
    const [, provider, of] = /: ([^/]+)\/(.+)$/.exec(price.listed ?? '') ?? [];
    if (provider === undefined) return true;
    const at = providerAt(this.newest.providers, baseUrl);
    return of === name && (at === null ? MAKERS.includes(provider) : at === provider);
  }

  /** The model with its price: the one that it has, else that of a list. */
  priced<M extends Asked & Pick<ModelSettings, 'price'>>(model: M): M {
    return model.price !== null && this.#holds(model.price, model) ? model : { ...model, price: this.find(model) };
  }
}

const providerAt = (providers: PriceData['providers'], baseUrl: string | null): string | null => {
  const host = baseUrl === null ? '' : (URL.parse(baseUrl)?.hostname ?? '');
  const found = Object.entries(providers).find(([, { hosts }]) =>
    hosts.some((one) => host === one || host.endsWith(`.${one}`)),
  );
  return found?.[0] ?? null;
};

/** The prices that count in this process. */
export const PRICES = new PriceList();

const unlisted = (model: ModelSettings): ModelSettings =>
  model.price?.listed === undefined ? model : { ...model, price: null };

/** The settings as somebody gave them, to be compared with others: a price of a list goes with the name of its model. */
export const withoutListed = (config: RunConfig): RunConfig => ({
  ...config,
  model: unlisted(config.model),
  models: config.models.map(unlisted),
});
