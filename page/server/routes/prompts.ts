// Answers about prompts that evolve, and about ideas that come before programs.
import type { Store } from '../../../activities/store/store.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import type { IdeaLine, PromptText } from '../../api/program/prompts.ts';
import { wholeNumber } from '../site/refusal.ts';
import type { Answers } from '../site/site.ts';
import { toldIn } from '../site/narration.ts';

export const promptAnswers: Answers = (app, site) => {
  app.get('/runs/:run/prompts', async (c) => {
    const store = await site.store();
    return c.json((await toldIn(store, await site.looks.run(c.req.param('run')))).prompts.answer());
  });
  app.get('/runs/:run/prompts/:place', async (c) => {
    const store = await site.store();
    const { prompts } = await toldIn(store, await site.looks.run(c.req.param('run')));
    const place = wholeNumber(c.req.param('place'), 'the place of a prompt');
    const refs = prompts.textsOf(place);
    if (refs === null) throw new UsageError(`run ${c.req.param('run')} has no prompt at place ${place}`);
    const texts = await store.getTexts([refs.text, ...(refs.before === null ? [] : [refs.before])]);
    const answer: PromptText = {
      text: texts.get(refs.text) ?? '',
      before: refs.before === null ? null : (texts.get(refs.before) ?? ''),
    };
    return c.json(answer);
  });
  app.get('/runs/:run/ideas', async (c) => {
    const store = await site.store();
    const document = await site.looks.run(c.req.param('run'));
    const { gate, threshold } = document.config.ideation;
    const answer = (await toldIn(store, document)).ideas.answer({ gate, threshold });
    const lists = [answer.newest, answer.overrated, answer.underrated];
    const read = await begun(store, lists.flat());
    const [newest, overrated, underrated] = lists.map((list) => list.map(read)) as [IdeaLine[], IdeaLine[], IdeaLine[]];
    return c.json({ ...answer, newest, overrated, underrated });
  });
};

/** As much of an idea as a list shows; a program's page shows all of it. */
const SHOWN = 600;

const begun = async (store: Store, ideas: readonly IdeaLine[]): Promise<(idea: IdeaLine) => IdeaLine> => {
  const texts = await store.getTexts([...new Set(ideas.map(({ text }) => text))]);
  return (idea) => ({ ...idea, text: (texts.get(idea.text) ?? '').slice(0, SHOWN) });
};
