// The settings of a run: all values, their defaults and the changes of each version; and what views derive from them.
import { withoutCredentials } from '../../../evolution/config/layers.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import type { RunSettings } from '../../../evolution/config/settings.ts';
import { defaultsFor } from '../../../evolution/methods/defaults.ts';
import type { Direction } from '../../../evolution/types.ts';
import type { RunSettingsAnswer } from '../../api/actions/forms.ts';
import { type Flat, flat, same } from '../../api/actions/settings-values.ts';
import { everySettings } from '../../../client/read/settings-versions.ts';
import { type Answers, storedRun } from '../site/site.ts';
import { stepsOf } from './steps.ts';
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
    const { store, run } = await storedRun(site, c.req.param('run'));
    const values = (await everySettings(store, run)).map(valuesOf);
    const { settings } = await stepsOf.of(store, run);
    const versions = values.map((now, index) => {
      const before = values[index - 1] ?? now;
      const began = settings.find(({ version }) => version === index + 1);
      const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])];
      return {
        version: index + 1,
        changes: keys
          .filter((key) => !same(before[key], now[key]))
          .map((key) => ({ key, from: before[key] ?? null, to: now[key] ?? null })),
        step: began?.step ?? null,
        at: began === undefined ? null : new Date(began.atMs).toISOString(),
      };
    });
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
