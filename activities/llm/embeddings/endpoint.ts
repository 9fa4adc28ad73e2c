// Which endpoint embeds programs, from the settings.
import { tidyUrl } from '../../../evolution/config/layers.ts';
import { OFFLINE_MODEL } from '../../../evolution/config/offline.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';

// Where a run's embeddings are asked for.
/** `baseUrl` null: the offline model's, whose port the home decides, or (kind openai) none is named. */
type EmbeddingEndpoint = { readonly kind: 'openai' | 'offline'; readonly baseUrl: string | null };

/**
 * `embedding.baseUrl`, else that of the first model; the model `offline` is the offline model wherever the others
 * are.
 */
export const embeddingEndpoint = ({ embedding, model }: Pick<RunConfig, 'embedding' | 'model'>): EmbeddingEndpoint => {
  if (embedding.baseUrl !== null) return { kind: 'openai', baseUrl: tidyUrl(embedding.baseUrl) };
  if (embedding.model === OFFLINE_MODEL || model.kind === 'offline') return { kind: 'offline', baseUrl: null };
  return { kind: 'openai', baseUrl: model.baseUrl };
};
