// The progress of a run as rows: the sums after each committed step, with the best program until then.
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import type { CurveRow } from '../read/shapes.ts';
import { rankingScore } from '../../evolution/scoring/ranking.ts';

export async function* curveRows(store: Store, { run, config }: RunDocument): AsyncGenerator<CurveRow> {
  let [firstMs, seconds]: [number | null, number] = [null, 0];
  for await (const { step, at, totals, best } of store.eachStep(run)) {
    firstMs ??= at.getTime();
    // The run that a fork comes from may have gone on later.
    seconds = Math.max(seconds, (at.getTime() - firstMs) / 1000);
    yield {
      ...{ step, at: at.toISOString(), seconds, programs: totals.programs, valid: totals.valid },
      ...{ tokensIn: totals.tokens.in, tokensOut: totals.tokens.out, costUsd: totals.costUsd },
      program: best?.program ?? null,
      score: best?.score ?? null,
      strictScore: best?.strictScore ?? null,
      ranking: best && rankingScore(best, config.evaluation.scoring),
    };
  }
}
