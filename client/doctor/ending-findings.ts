// What the endpoints of a run did otherwise than asked in its last step, told once for each model: reasons for the end of
// an answer that stand in no list, and settings that are not taken.
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
  const told = (what: (answer: (typeof answers)[number]) => string | null): readonly RunFinding[] =>
    [...Map.groupBy(answers, what)].flatMap(([words, { length }]) =>
      words === null
        ? []
        : [
            fine(
              'answers',
              `of ${answers.length} answers of step ${run.committedStep} ${length} of ${words}`,
              `npx evolve prompt ${run.run}`,
            ),
          ],
    );
  return [
    ...told(({ model, unsent = [] }) =>
      unsent.length === 0 ? null : `${model} were asked without ${unsent.join(', ')}, which the endpoint does not take`,
    ),
    ...told(({ model, finishReason }) =>
      isKnownEnding(finishReason)
        ? null
        : `${model} ended by "${finishReason}", a reason that stands in no list: they count as whole`,
    ),
  ];
};
