// Where a run's embeddings are asked for. Called by the worker that asks and by the checks before a run.
import { tidyUrl } from '../../evolution/config/tidy-url.ts';
import { OFFLINE_MODEL } from '../../evolution/config/offline.ts';
import type { RunConfig } from '../../evolution/config/run-config.ts';

/** `baseUrl` null: the offline model's, whose port the home decides, or (kind openai) none is named. */
export type EmbeddingEndpoint = { readonly kind: 'openai' | 'offline'; readonly baseUrl: string | null };

/** `embedding.baseUrl`, else that of the first model; the model `offline` is the offline model wherever the others are. */
export const embeddingEndpoint = ({ embedding, model }: Pick<RunConfig, 'embedding' | 'model'>): EmbeddingEndpoint => {
  if (embedding.baseUrl !== null) return { kind: 'openai', baseUrl: tidyUrl(embedding.baseUrl) };
  if (embedding.model === OFFLINE_MODEL || model.kind === 'offline') return { kind: 'offline', baseUrl: null };
  return { kind: 'openai', baseUrl: model.baseUrl };
};
