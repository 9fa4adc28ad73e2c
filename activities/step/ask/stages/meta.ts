// Stage `meta`: a model enriches the prompt of a group that explores (CodeEvolve Algorithm 1, line 11). Without a
// usable answer the prompt stays as it is.
import { buildMetaPrompt } from '../../../../evolution/prompts/meta-prompt.ts';
import { showNumber } from '../../../../evolution/prompts/parts/program-card.ts';
import { problemOf } from '../../../../evolution/prompts/parts/statement.ts';
import { triedSections } from '../../../../evolution/prompts/parts/tried.ts';
import { cardOf } from '../prompts/openevolve.ts';
import { messagesOf, showPrograms, statedBy, withArtifacts } from '../prompts/style.ts';
import { triedOn } from '../prompts/tried.ts';
import { templateFor } from '../prompts/templates.ts';
import { readTexts } from '../../../reading/reading.ts';
import { missing } from '../../../run/step-summary.ts';
import type { GroupPlan } from '../../../store/documents/step-documents.ts';
import type { StageHandler, StageInput } from './stage.ts';

export const meta: StageHandler = {
  async request(input) {
    const { store, task, config, plan } = input;
    const [tried = null] = await triedOn(input, [plan]);
    const shown = await showPrograms(store, task, [plan.parent], config.prompt);
    const parent = (await withArtifacts(store, input, [shown.get(plan.parent)!]))[0]!;
    return messagesOf(
      buildMetaPrompt(
        {
          prompt: await textOf({ store, plan }),
          card: cardOf(task, parent, config.prompt)(),
          problem: config.exploration.promptBlock === 'all' ? '' : problemOf(task, statedBy(config)),
          paid: (plan.paid ?? []).map(({ score, line }) => ({
            score: `${task.scoreName} = ${showNumber(score)}`,
            line,
          })),
          tried: triedSections(tried, tried?.latest ?? [], { task, parent, ...config.prompt }),
        },
        templateFor('meta', task),
      ),
    );
  },

  async read({ store, plan, made, answer }) {
    const { id, text } = promptOf(plan);
    // The answer comes without its reasoning.
    const [read] =
      answer === null ? [] : await readTexts('prompt', [{ prompt: await textOf({ store, plan }), answer }]);
    const edit = read?.value ?? null;
    if (edit === null || edit.reason !== null)
      return { kind: 'made', made: { ...made, prompt: { id, text, parent: null, isNew: false } } };
    const [edited] = await store.putTexts([edit.text]);
    return { kind: 'made', made: { ...made, prompt: { id: plan._id, text: edited!, parent: id, isNew: true } } };
  },
};

const promptOf = ({ _id, prompt }: GroupPlan): NonNullable<GroupPlan['prompt']> => {
  if (prompt === undefined) throw missing(`a prompt to edit of group ${_id}`);
  return prompt;
};

const textOf = async ({ store, plan }: Pick<StageInput, 'store' | 'plan'>): Promise<string> => {
  const { text: ref } = promptOf(plan);
  const text = (await store.getTexts([ref])).get(ref);
  if (text === undefined) throw missing(`prompt ${ref}`);
  return text;
};
