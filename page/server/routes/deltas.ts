// Answers about what models said of their changes: of one step in full, and summed up over the run.
import type { DeltasAnswer, StepTold } from '../../api/program/deltas.ts';
import { wholeNumber } from '../site/refusal.ts';
import type { Answers } from '../site/site.ts';
import { toldIn } from '../site/narration.ts';

/** Characters of a change in a list. */
const SHOWN = 200;

export const deltaAnswers: Answers = (app, site) => {
  app.get('/runs/:run/deltas', async (c) => {
    const store = await site.store();
    const { deltas, gainOf } = await toldIn(store, await site.looks.run(c.req.param('run')));
    const summed = deltas.answer();
    const again = await store.getPrograms(summed.shownAgain.map(({ program }) => program));
    const answer: DeltasAnswer = {
      ...summed,
      shownAgain: summed.shownAgain.map((one) => {
        const program = again.get(one.program);
        const summary = program?.change?.summary.to.slice(0, SHOWN) ?? '';
        return { ...one, summary, gain: program === undefined ? null : gainOf(program) };
      }),
    };
    return c.json(answer);
  });
  app.get('/runs/:run/told/:step', async (c) => {
    const store = await site.store();
    const { run } = await site.looks.run(c.req.param('run'));
    const step = wholeNumber(c.req.param('step'), 'a step');
    const found = [];
    for await (const program of store.eachProgram(run, { fromStep: step })) {
      if (program.step > step) break;
      if (program.change !== undefined || program.idea !== undefined) found.push(program);
    }
    const texts = await store.getTexts(found.flatMap(({ idea }) => (idea === undefined ? [] : [idea.text])));
    const told: StepTold = Object.fromEntries(
      found.map(({ _id, change, idea }) => [
        _id,
        {
          ...(change === undefined ? {} : { delta: change }),
          ...(idea === undefined ? {} : { idea: { ...idea, text: texts.get(idea.text) ?? '' } }),
        },
      ]),
    );
    return c.json(told);
  });
};
