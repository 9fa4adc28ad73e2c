// The words of models about their changes, evolved prompts and ideas: of one step in full, and summed up over the run.
import type { Context } from 'hono';
import type { StepNarration } from '../../api/program/deltas.ts';
import { wholeNumber } from '../site/refusal.ts';
import type { Answers } from '../site/site.ts';
import { narrationOf } from '../site/narration.ts';
import type { Store } from '../../../activities/store/store.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import type { IdeaLine, PromptText } from '../../api/program/prompts.ts';

/** Characters of an idea in a list; a program's page shows all of them. */
const LISTED = 600;

export const narrationAnswers: Answers = (app, site) => {
  const sums = async (c: Context<object, '/runs/:run/:rest'>) =>
    narrationOf.of(await site.store(), await site.looks.run(c.req.param('run')));
  app.get('/runs/:run/deltas', async (c) => c.json((await sums(c)).deltas.answer()));
  app.get('/runs/:run/told/:step', async (c) => {
    const store = await site.store();
    const { run } = await site.looks.run(c.req.param('run'));
    const step = wholeNumber(c.req.param('step'), 'a step');
    const programs = [];
    for await (const program of store.eachProgram(run, { fromStep: step })) {
      if (program.step > step) break;
      if (program.change !== undefined || program.idea !== undefined) programs.push(program);
    }
    const texts = await store.getTexts(programs.flatMap(({ idea }) => (idea === undefined ? [] : [idea.text])));
    const narration: StepNarration = Object.fromEntries(
      programs.map(({ _id, change, idea }) => [
        _id,
        {
          ...(change === undefined ? {} : { delta: change }),
          ...(idea === undefined ? {} : { idea: { ...idea, text: texts.get(idea.text) ?? '' } }),
        },
      ]),
    );
    return c.json(narration);
  });
  app.get('/runs/:run/prompts', async (c) => c.json((await sums(c)).prompts.answer()));
  app.get('/runs/:run/prompts/:place', async (c) => {
    const store = await site.store();
    const { prompts } = await sums(c);
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
    const { gate, threshold } = (await site.looks.run(c.req.param('run'))).config.ideation;
    const answer = (await sums(c)).ideas.answer({ gate, threshold });
    const lists = [answer.newest, answer.overrated, answer.underrated];
    const read = await begun(store, lists.flat());
    const [newest, overrated, underrated] = lists.map((list) => list.map(read)) as [IdeaLine[], IdeaLine[], IdeaLine[]];
    return c.json({ ...answer, newest, overrated, underrated });
  });
};

const begun = async (store: Store, ideas: readonly IdeaLine[]): Promise<(idea: IdeaLine) => IdeaLine> => {
  const texts = await store.getTexts([...new Set(ideas.map(({ text }) => text))]);
  return (idea) => ({ ...idea, text: (texts.get(idea.text) ?? '').slice(0, LISTED) });
};
