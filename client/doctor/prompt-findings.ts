// Whether models read the whole of a run's prompts, by the tokens that their endpoints counted for its first and its last
// step.
import { programMessages, readMessages } from '../../activities/llm/chat/messages.ts';
import type { RunDocument } from '../../activities/store/documents/documents.ts';
import type { Store } from '../../activities/store/store.ts';
import { programId, promptId } from '../../evolution/ids.ts';
import { charsOf, isReadInPart, type Read, readInPart } from '../../evolution/reports/partial-reads.ts';
import { slotsOf } from '../../evolution/schedule/slots.ts';
import { groupsOf, placeOf } from '../read/requests/prompt-places.ts';
import { look, type RunFinding } from '../read/state-findings.ts';

type OfModel = Read & { readonly model: string };

const MOST_GROUPS = 8;

export const promptFindings = async (store: Store, run: RunDocument): Promise<readonly RunFinding[]> => {
  const steps = [...new Set([1, run.committedStep])].filter((step) => step >= 1 && step <= run.committedStep);
  const reads = (await Promise.all(steps.map((step) => readsOf(store, run, step)))).flat();
  return [...Map.groupBy(reads, ({ model }) => model)]
    .filter(([, all]) => isReadInPart(all))
    .map(([model, all]) =>
      look('prompts', `${model} ${readInPart(all.at(-1)!)}`, `npx evolve set ${run.run} prompt.maxTokens=<tokens>`),
    );
};

/** The request of each group of a step for its programs, where its endpoint counted tokens. */
const readsOf = async (store: Store, run: RunDocument, step: number): Promise<readonly OfModel[]> => {
  const { run: by, named, epoch, groups = groupsOf(run.config) } = await placeOf(store, run, step);
  const prompts = await store.getPrompts(
    groups.slice(0, MOST_GROUPS).map((group) => promptId(by, named, epoch, group)),
  );
  const reads: OfModel[] = [];
  for (const prompt of prompts.values()) {
    const slots = slotsOf(prompt.group, run.config.responses);
    const answers = await store.getRollouts(slots.map((slot) => programId(by, named, epoch, slot)));
    // Of several answers to one request the first alone has the tokens of the prompt.
    const answer = [...answers.values()].find(({ usage, estimated }) => usage.in > 0 && estimated !== true);
    const messages = await programMessages(store, prompt);
    if (answer !== undefined && messages !== null)
      reads.push({ chars: charsOf(await readMessages(store, messages)), tokens: answer.usage.in, model: answer.model });
  }
  return reads;
};
