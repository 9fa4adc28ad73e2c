// The answer about what kind of run it is.
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import { directionOf } from '../../../client/runs/check-change.ts';
import { axesOf } from '../../../evolution/archives/cell-space.ts';
import { tessellationOf } from '../../../evolution/archives/tessellation.ts';
import { styleOf } from '../../../evolution/config/styles.ts';
import type { Direction } from '../../../evolution/types.ts';
import type { Traits } from '../../api/run/traits.ts';
import type { Answers } from '../site/site.ts';

export const traitAnswers: Answers = (app, site) => {
  app.get('/runs/:run/traits', async (c) => {
    const run = await site.looks.run(c.req.param('run'));
    const { population, exploration, ideation, evaluation, seed } = run.config;
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
