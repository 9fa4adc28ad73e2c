// The reasons of a run's endpoints for the end of an answer that stand in no list, counted in its last step.
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { programId } from '../../evolution/ids.ts';
import { isKnownEnding } from '../../evolution/models/endings.ts';
import { slotsOf } from '../../evolution/schedule/slots.ts';
import { groupsOf, placeOf } from '../read/requests/prompt-places.ts';
import { fine, type RunFinding } from '../read/state-findings.ts';

export const endingFindings = async (store: Store, run: RunDocument): Promise<readonly RunFinding[]> => {
  if (run.committedStep < 1) return [];
  const { run: by, named, epoch, groups = groupsOf(run.config) } = await placeOf(store, run, run.committedStep);
  const slots = groups.flatMap((group) => slotsOf(group, run.config.responses));
  const answers = [...(await store.getRollouts(slots.map((slot) => programId(by, named, epoch, slot)))).values()];
  const unknown = answers.filter(({ finishReason }) => !isKnownEnding(finishReason));
  return [...Map.groupBy(unknown, ({ model, finishReason }) => `${model} ended by "${finishReason}"`)].map(
    ([what, all]) =>
      fine(
        'answers',
        `of ${answers.length} answers of step ${run.committedStep} ${all.length} of ${what}, a reason that stands in no list: they count as whole`,
        `npx evolve prompt ${run.run}`,
      ),
  );
};
