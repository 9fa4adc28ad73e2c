// The models with which a method's numbers were published, for a run that names an endpoint and no model. No endpoint is ever assumed, and whoever names a
// model has that one alone. Read by config/schema.ts.
import type { MethodName } from './names.ts';

type Published = { readonly name: string; readonly weight: number };

/** DeltaEvolve, section 2, Configuration (Table 4) and Ensemble; its baselines ask the same models. */
const DELTA: readonly Published[] = [{ name: 'gpt-5-mini', weight: 0.8 }, { name: 'o3-mini', weight: 0.2 }];

/** The first one first; their weights sum to 1. */
export const PUBLISHED_MODELS: { readonly [method in MethodName]?: readonly Published[] } = { delta: DELTA, 'parallel-sampling': DELTA, 'greedy-refine': DELTA };
