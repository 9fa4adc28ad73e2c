// Stage `idea`: a model proposes what to do next with the sampled program (AlphaResearch Eq. 1).
import { baseIn } from '../../../../evolution/ideas/idea.ts';
import { buildIdeaPrompt, type Proposed } from '../../../../evolution/prompts/idea-prompts.ts';
import { aimWords } from '../../../../evolution/prompts/parts/aim.ts';
import { maskOf, outputSections, wentWrong } from '../../../../evolution/prompts/parts/program-card.ts';
import { fitFrame } from '../../../../evolution/prompts/parts/sections.ts';
import { triedSections } from '../../../../evolution/prompts/parts/tried.ts';
import { ideasOf, shownMetrics } from '../prompts/plain-styles.ts';
import {
  hintsFor,
  idsWith,
  messagesOf,
  partOf,
  resultOf,
  type Shown,
  shownIn,
  showPrograms,
  statedBeside,
  withArtifacts,
} from '../prompts/style.ts';
import { templateFor } from '../prompts/templates.ts';
import { triedOn } from '../prompts/tried.ts';
import { readTexts } from '../../../reading/reading.ts';
import type { GroupPlan } from '../../../store/documents/step-documents.ts';
import type { StageHandler, StageInput } from './stage.ts';

export const idea: StageHandler = {
  async request(input) {
    const { store, task, config, run, plan } = input;
    const shown = await showPrograms(store, task, shownIn([plan]), config.prompt);
    const ideas = await ideasOf({ store, task, config, run, shown: [...shown.values()] });
    const proposed = (id: string): Proposed => ({
      proposal: ideas.get(id)!,
      metrics: shownMetrics(shown.get(id)!, task, config),
    });
    const parent = (await withArtifacts(store, input, [shown.get(plan.parent)!]))[0]!;
    const [tried = null] = await triedOn(input, [plan], { refused: true });
    const best = tried === null ? null : bestBeside(plan, shown);
    const others = [...plan.priorPrograms, ...(plan.context ?? []).map(({ id }) => id)]
      .filter((id) => id !== plan.parent && id !== best && shown.has(id))
      .map((id) => ({ id, ...proposed(id) }));
    const failure = tried === null ? '' : failureOf(input, parent);
    const template = templateFor('idea', task);
    // Inspirations are dropped first, then the best program, then the oldest attempts. The parent and its idea stay.
    return messagesOf(
      fitFrame(
        tried?.latest ?? [],
        [...(best === null ? [] : [{ id: best, ...proposed(best) }]), ...others],
        config.prompt.maxTokens,
        (attempts, besides) =>
          buildIdeaPrompt(
            {
              task,
              promptText: partOf(task, plan).text,
              stated: statedBeside(task, plan, config),
              aim:
                tried === null
                  ? ''
                  : [
                      aimWords(tried, task, parent.outcome),
                      ...(besides.some(({ id }) => id === best) ? [BASE] : []),
                    ].join('\n'),
              ...proposed(plan.parent),
              failure,
              tried: triedSections(tried, attempts, { task, parent, ...config.prompt }),
              best: besides.flatMap((one) =>
                one.id === best
                  ? [
                      {
                        ...one,
                        code: shown.get(one.id)!.code,
                        printed: outputSections(shown.get(one.id)!, config.prompt),
                      },
                    ]
                  : [],
              )[0],
              code: parent.code,
              inspirations: besides.filter(({ id }) => id !== best),
              hints: hintsFor(config, plan),
              digits: config.ideation.digits,
            },
            template,
          ),
      ),
    );
  },

  async read({ store, config, plan, answer, failed, made }) {
    const read = answer === null ? null : (await readTexts('idea', [answer]))[0]!;
    const text = read?.value?.idea ?? null;
    if (text === null)
      return {
        kind: 'refused',
        outcome: 'idea_failed',
        reason: read === null ? `no idea came: ${failed}` : (read.value?.reason ?? `no idea: ${read.failed}`),
        made,
      };
    const best = config.prompt.frame === 'paper' ? undefined : idsWith(plan, 'best').find((id) => id !== plan.parent);
    const { base, idea: proposal } = best === undefined ? { base: null, idea: text } : baseIn(text);
    const [ref] = await store.putTexts([proposal]);
    const idea = { text: ref!, score: null, would: null };
    return { kind: 'made', made: { ...made, idea, ...(base === 'best' ? { base: best! } : {}) } };
  },
};

/** The program model gets the program that the idea names. */
const BASE =
  'The proposal may change the current program or the best one; the program that it names is the one to be edited. It begins with the line `Base: current` or `Base: best`.';

const bestBeside = (plan: GroupPlan, shown: ReadonlyMap<string, Shown>): string | null =>
  idsWith(plan, 'best').find((id) => id !== plan.parent && shown.has(id)) ?? null;

/** The failure of a program, as sections; empty where there is none, or where feedback is kept back. */
const failureOf = ({ config: { prompt } }: StageInput, shown: Shown): string => {
  if (prompt.feedback !== 'full') return '';
  const { error, edits = [] } = resultOf(shown, prompt.frame);
  return [...wentWrong(maskOf([shown], prompt.scores).output(error), edits), ...outputSections(shown, prompt)].join(
    '\n\n',
  );
};
