// Stage `idea`: a model proposes what to do next with the sampled program (AlphaResearch Eq. 1).
import { buildIdeaPrompt, type Proposed } from '../../evolution/prompts/idea-prompts.ts';
import { fitTokens } from '../../evolution/prompts/sections.ts';
import { ideasOf, shownMetrics } from '../prompts/plain-styles.ts';
import { hintsFor, partOf, shownIn, showPrograms, statementFor } from '../prompts/style.ts';
import { templateFor } from '../prompts/templates.ts';
import { readTexts } from '../reading/reading.ts';
import type { StageHandler } from './stage.ts';

export const idea: StageHandler = {
  async request({ store, task, config, run, plan }) {
    const shown = await showPrograms(store, shownIn([plan]));
    const ideas = await ideasOf({ store, task, config, run, shown: [...shown.values()] });
    const proposed = (id: string): Proposed => ({
      proposal: ideas.get(id)!,
      metrics: shownMetrics(shown.get(id)!, task, config),
    });
    const others = [...plan.priorPrograms, ...(plan.context ?? []).map(({ id }) => id)]
      .filter((id) => id !== plan.parent && shown.has(id))
      .map(proposed);
    const template = templateFor('idea', task);
    // Only inspirations are dropped to fit. The parent and its idea always stay.
    const { system, user } = fitTokens(others, config.prompt.maxTokens, (inspirations) =>
      buildIdeaPrompt(
        {
          task,
          promptText: partOf(task, plan).text,
          statement: statementFor(task, plan, config),
          ...proposed(plan.parent),
          code: shown.get(plan.parent)!.code,
          inspirations,
          hints: hintsFor(config, plan),
          digits: config.ideation.digits,
        },
        template,
      ),
    );
    return [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ];
  },

  async read({ store, answer, failed, made }) {
    const read = answer === null ? null : (await readTexts('idea', [answer]))[0]!;
    const text = read?.value?.idea ?? null;
    if (text === null)
      return {
        kind: 'refused',
        outcome: 'idea_failed',
        reason:
          read === null ? `no idea could be asked for: ${failed}` : (read.value?.reason ?? `no idea: ${read.failed}`),
        made,
      };
    const [ref] = await store.putTexts([text]);
    return { kind: 'made', made: { ...made, idea: { text: ref!, score: null, would: null } } };
  },
};
