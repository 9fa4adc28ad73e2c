// The endpoint where a run's embeddings are asked for, from its settings.
import { tidyUrl } from '../../../evolution/config/layers.ts';
import { OFFLINE_MODEL } from '../../../evolution/config/offline.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';

/** `baseUrl` is null for the offline model, whose port the home decides, and where kind `openai` names none. */
type EmbeddingEndpoint = { readonly kind: 'openai' | 'offline'; readonly baseUrl: string | null };

/**
 * `embedding.baseUrl`, else the endpoint of the first model. The model `offline` is always the offline model, whatever
 * the other models are.
 */
export const embeddingEndpoint = ({ embedding, model }: Pick<RunConfig, 'embedding' | 'model'>): EmbeddingEndpoint => {
  if (embedding.baseUrl !== null) return { kind: 'openai', baseUrl: tidyUrl(embedding.baseUrl) };
  if (embedding.model === OFFLINE_MODEL || model.kind === 'offline') return { kind: 'offline', baseUrl: null };
  return { kind: 'openai', baseUrl: model.baseUrl };
};
