// The settings of a run: all values, their defaults and the changes of each version; and what views derive from them.
import { withoutCredentials } from '../../../evolution/config/layers.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import type { RunSettings } from '../../../evolution/config/settings.ts';
import { defaultsFor } from '../../../evolution/methods/defaults.ts';
import type { Direction } from '../../../evolution/types.ts';
import type { RunSettingsAnswer } from '../../api/actions/forms.ts';
import { type Flat, flat, same } from '../../api/actions/settings-values.ts';
import type { Answers } from '../site/site.ts';
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import { directionOf } from '../../../client/runs/check-change.ts';
import { axesOf } from '../../../evolution/archives/cell-space.ts';
import { tessellationOf } from '../../../evolution/archives/tessellation.ts';
import { styleOf } from '../../../evolution/config/styles.ts';
import type { Traits } from '../../api/run/traits.ts';

/** The settings as they are shown. */
export const valuesOf = (config: RunConfig): Flat => flat(withoutCredentials(config));

/**
 * The settings of the same run if only its method, task, model, size and limits were set: some defaults
 * are fitted to those.
 */
const defaultsOf = ({ method, task, batch, responses, limits, model, learning, embedding }: RunConfig): Flat => {
  const given = {
    method,
    model: { kind: model.kind, ...(model.kind === 'offline' ? {} : { name: model.name }), trainable: model.trainable },
    learning: { trainer: learning.trainer, base: learning.base },
    embedding: { model: embedding.model },
  } as RunSettings;
  const unfitted = flat(defaultsFor(given));
  const size = Object.entries(unfitted).filter(
    ([key]) => key === 'batch' || key === 'responses' || key.startsWith('limits.'),
  );
  return {
    ...flat(defaultsFor({ ...given, batch, responses, limits: { ...limits } })),
    ...Object.fromEntries(size),
    // A task has no default that would mean anything here.
    task,
  };
};

export const settingsAnswers: Answers = (app, site) => {
  app.get('/runs/:run/settings', async (c) => {
    const store = await site.store();
    const run = await site.looks.run(c.req.param('run'));
    const began = new Map<number, { readonly step: number; readonly at: string }>();
    // The first steps of a fork count the versions of the run that it comes from.
    for await (const step of store.eachStep(run.run, run.origin === null ? 0 : run.origin.step + 1))
      if (step.run === run.run && !began.has(step.configVersion))
        began.set(step.configVersion, { step: step.step, at: step.at.toISOString() });
    const versions: RunSettingsAnswer['versions'][number][] = [];
    let before: Flat | null = null;
    for (let version = 1; version <= run.configVersion; version += 1) {
      const values: Flat = valuesOf(await store.readConfig(run.run, version));
      const earlier = before;
      const keys = earlier === null ? [] : [...new Set([...Object.keys(earlier), ...Object.keys(values)])];
      versions.push({
        version,
        changes: keys.flatMap((key) =>
          same(earlier?.[key], values[key]) ? [] : [{ key, from: earlier?.[key] ?? null, to: values[key] ?? null }],
        ),
        step: began.get(version)?.step ?? null,
        at: began.get(version)?.at ?? null,
      });
      before = values;
    }
    const answer: RunSettingsAnswer = {
      run: run.run,
      version: run.configVersion,
      values: valuesOf(run.config),
      defaults: defaultsOf(run.config),
      versions,
    };
    return c.json(answer);
  });
  app.get('/runs/:run/traits', async (c) => {
    const run = await site.looks.run(c.req.param('run'));
    const { population, exploration, ideation, evaluation, learning, embedding, seed } = run.config;
    const axes = axesOf(population);
    const { map, cells, islands } = population;
    const answer: Traits = {
      // A task that is gone is read as one whose scores are to rise, as most are.
      direction: directionSeen(run) ?? (await directionOf(await site.store(), run)) ?? 'maximise',
      scoring: evaluation.scoring,
      has: {
        deltas: styleOf(run.config).asksForDelta,
        prompts: exploration.schedule !== 'none' && exploration.metaPrompt,
        ideas: ideation.kind !== 'none' || run.totals.rounds !== undefined,
        policies: learning.trainer !== 'none' || run.policy != null,
        embeddings: embedding.model !== null,
      },
      islands,
      archive: {
        map,
        axes,
        centroids: map === 'cvt' ? tessellationOf({ seed, cells, dimensions: axes.length }).centroids : null,
      },
    };
    return c.json(answer);
  });
};

/** Null where nothing was valid yet. To read the task for this would load its whole reader. */
const directionSeen = ({ best, population }: RunDocument): Direction | null => {
  const fit = population.best?.fit ?? 0;
  if (best === null || fit === 0) return null;
  const same = [best.score, best.strictScore].some((score) => score === fit);
  return same ? 'maximise' : 'minimise';
};
