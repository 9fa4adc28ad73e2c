// Stage `notes`: a model looks through the newest programs of the run and writes insights and recommendations
// (ShinkaEvolve, meta-scratchpad). The programs of the group carry the notes, so that a rewind takes them back.
import { TEXT_LIMITS } from '../../../../evolution/edits/limits.ts';
import { buildNotesPrompt } from '../../../../evolution/prompts/notes.ts';
import type { ProgramId } from '../../../../evolution/types.ts';
import { cardOf } from '../prompts/openevolve.ts';
import { messagesOf, showPrograms, stated } from '../prompts/style.ts';
import { latestNotes } from '../prompts/tried.ts';
import { readTexts } from '../../../reading/reading.ts';
import type { StageHandler, StageInput } from './stage.ts';

export const notes: StageHandler = {
  async request(input) {
    const { store, task, config, run, step, plan, ahead } = input;
    const earlier = await latestNotes({ store, run, beforeStep: step, ahead });
    const newest = await newestPrograms(input, earlier?.step ?? 0);
    const best = (await store.readRun(run))?.best?.program ?? null;
    const shown = await showPrograms(store, task, best === null ? newest : [...newest, best], config.prompt);
    const bestShown = best === null ? undefined : shown.get(best);
    return messagesOf(
      buildNotesPrompt({
        stated: stated(task, plan, config),
        programs: newest.map((id) => cardOf(task, shown.get(id)!, config.prompt, { briefly: true })).toReversed(),
        best: bestShown === undefined ? null : cardOf(task, bestShown, config.prompt),
        earlier: earlier === null ? null : ((await store.getTexts([earlier.text])).get(earlier.text) ?? null),
        maxTokens: config.prompt.maxTokens,
      }),
    );
  },

  /** Notes that recommend nothing are none: those before stay. */
  async read({ store, made, answer }) {
    const text = answer?.slice(0, TEXT_LIMITS.ideaChars).trim() ?? '';
    const recommended = text === '' ? [] : ((await readTexts('notes', [text]))[0]!.value ?? []);
    if (recommended.length === 0) return { kind: 'made', made };
    const [ref] = await store.putTexts([text]);
    return { kind: 'made', made: { ...made, notes: ref! } };
  },
};

/** The newest committed programs since a step, oldest first; as many as there are between two notes. */
const newestPrograms = async (
  { store, config, run, step, ahead }: StageInput,
  fromStep: number,
): Promise<readonly ProgramId[]> => {
  const before = ahead === undefined ? step : ahead.committed + 1;
  const ids: ProgramId[] = [];
  for await (const program of store.eachProgram(run, { fromStep, comparable: true })) {
    if (program.step >= before) break;
    ids.push(program._id);
  }
  return ids.slice(-(config.prompt.notes ?? 0));
};
