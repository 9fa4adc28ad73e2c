// From what 0.1.0 stored to what 0.2.0 stores: forks, settings by version, answers that are asked for afresh, sweeps.
// Most documents of 0.1.0 do not say their schema, so a field is only added where it is missing.
import type { Migration, Stored } from './migration.ts';

/** A step of 0.1.0 does not say when it was committed, which stays unknown. */
const UNKNOWN_TIME = new Date(0);

export const TO_2: Migration = {
  runs: (run) => ({
    changes: [],
    epochs: [],
    setAside: [],
    origin: null,
    sweep: null,
    ...run,
    ...(run['lineage'] === undefined
      ? {}
      : { lineage: (run['lineage'] as readonly Stored[]).map((era) => ({ run: run['_id'], ...era })) }),
    ...counted(run),
    ...configured(run),
  }),
  events: (event) => ({ ...event, ...configured(event) }),
  steps: (step) => ({
    configVersion: 1,
    at: UNKNOWN_TIME,
    ...step,
    ...counted(step),
    ...(isDocument(step['snapshot']) ? { snapshot: { run: step['run'], ...step['snapshot'] } } : {}),
  }),
  prompts: (prompt) => ({ configVersion: 1, ...prompt }),
};

const isDocument = (value: unknown): value is Stored => typeof value === 'object' && value !== null;

/** 0.1.0 did not count programs since the best one, for it had no limit on them; counting begins with the next. */
const counted = ({ totals }: Stored): Stored => (isDocument(totals) ? { totals: { sinceBest: 0, ...totals } } : {});

const configured = ({ config }: Stored): Stored => {
  if (!isDocument(config)) return {};
  const { limits, model, prompt } = config as Readonly<Record<string, Stored>>;
  return {
    config: {
      models: [],
      ...config,
      limits: { noImprovementPrograms: null, ...limits },
      model: { weight: 1, ...model },
      prompt: { hints: [], ...prompt },
    },
  };
};
