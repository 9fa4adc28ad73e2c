// Stage `judge`: a reward model scores the idea alone, and the gate lets it pass or ends the round (AlphaResearch
// Algorithm 1, lines 5 to 7).
import { ApplicationFailure } from '@temporalio/activity';
import { decideGate, UNPARSED } from '../../../../evolution/ideas/idea.ts';
import { buildJudgePrompt, judgeContext, type Judged } from '../../../../evolution/prompts/idea-prompts.ts';
import { maskOf, outputSections } from '../../../../evolution/prompts/parts/program-card.ts';
import { statementOf } from '../../../../evolution/prompts/parts/statement.ts';
import { type Attempt, resultOf } from '../../../../evolution/prompts/parts/tried.ts';
import type { RunConfig } from '../../../../evolution/config/run-config.ts';
import type { Task } from '../../../../evolution/task/task.ts';
import { idsWith, partOf, showPrograms, statedBy } from '../prompts/style.ts';
import { shippedTemplate, templateFor } from '../prompts/templates.ts';
import { triedOn } from '../prompts/tried.ts';
import { REFUSED } from '../../../../evolution/ideas/rounds.ts';
import { readTexts } from '../../../reading/reading.ts';
import { missing } from '../../../run/step-summary.ts';
import type { Store } from '../../../store/store.ts';
import type { StageHandler, StageInput } from './stage.ts';

/**
 * The question to a judge about an idea. The training data of a reward model has the same question, so that a model is
 * asked as it was trained. It is written by the task's own template where it has one; without a task, by the shipped
 * one. A published reward model is asked in the words of its paper.
 */
export const judgeQuestion = (
  task: Pick<Task, 'id' | 'templates'> | null,
  judge: RunConfig['ideation']['judge'] = 'trained',
): ((judged: Judged) => string) => {
  const name = judge === 'published' ? 'judge-published' : 'judge';
  const template = task === null ? shippedTemplate(name) : templateFor(name, task);
  return (judged) => buildJudgePrompt(judged, template);
};

/** The score in a judge's answer, which comes without its reasoning; -1 where none can be read. */
export const verdictOf = async (answer: string): Promise<number> =>
  (await readTexts('verdict', [answer]))[0]!.value ?? UNPARSED;

/**
 * The context beside the idea; empty for a judge that is to be asked as a reward model was trained. The judge sees no
 * judgement of an earlier idea, so that its scores do not follow each other.
 */
const contextOf = async (input: StageInput): Promise<string> => {
  const { store, task, config, plan } = input;
  const { ideation, prompt } = config;
  if (ideation.judge !== 'prompted' || prompt.frame === 'paper') return '';
  const hidden = prompt.scores === 'masked' || prompt.feedback !== 'full';
  const bestId = idsWith(plan, 'best')[0] ?? plan.parent;
  const shown = await showPrograms(store, task, [plan.parent, bestId], prompt);
  const parent = shown.get(plan.parent)!;
  const [tried = null] = await triedOn(input, [plan], { refused: true });
  const ref = parent.program.idea?.text;
  const parentIdea = ref === undefined ? undefined : (await store.getTexts([ref])).get(ref);
  const scoreOf = (id: string): number | null => (hidden ? null : (shown.get(id)?.score ?? null));
  return judgeContext({
    problem: problemFor(input),
    task,
    parent: scoreOf(plan.parent),
    idea: parentIdea === undefined ? null : excerptOf(maskOf([parent], prompt.scores).prose(parentIdea)),
    best: scoreOf(bestId),
    earlier: (tried?.latest ?? []).flatMap((attempt) =>
      attempt.told === null ? [] : [earlierIdea(attempt, resultOf(attempt, { task, parent, ...prompt }))],
    ),
    printed: shown.has(bestId) ? outputSections(shown.get(bestId)!, prompt) : [],
    digits: ideation.digits,
  });
};

/**
 * Advice is for whoever writes the idea; a task without a problem statement has nothing else to be told by. A judge sees
 * no metrics, and prints nothing.
 */
const problemFor = ({ task, config, plan }: StageInput): string =>
  statementOf(
    task,
    { ...statedBy(config), metrics: false, printed: false },
    task.problem == null ? partOf(task, plan).text : '',
  ).problem;

const EARLIER_CHARS = 300;
const excerptOf = (idea: string): string => idea.slice(0, EARLIER_CHARS).toWellFormed();

const earlierIdea = ({ told, outcome }: Attempt, result: string): string =>
  `"${excerptOf(told ?? '')}": ${REFUSED.has(outcome) ? 'not carried out' : result}`;

export const judge: StageHandler = {
  async request(input) {
    const { store, task, config, made } = input;
    const text = made.idea === undefined ? undefined : (await store.getTexts([made.idea.text])).get(made.idea.text);
    if (text === undefined) throw missing('the idea to be judged');
    return [
      {
        role: 'user',
        content: judgeQuestion(task, config.ideation.judge)({ idea: text, context: await contextOf(input) }),
      },
    ];
  },

  async read({ store, config: { ideation }, run, answer, failed, made }) {
    if (made.idea === undefined) throw missing('the idea that was judged');
    const score = answer === null ? null : await verdictOf(answer);
    const { verdict, would } = decideGate(score, ideation);
    const judged = { ...made, idea: { ...made.idea, score, would } };
    if (verdict === 'pass') return { kind: 'made', made: judged };
    if (verdict === 'unparsed') await requireReadable(store, run, answer ?? '');
    const reason = {
      rejected: `scored ${score}, below the threshold ${ideation.threshold}`,
      rm_failed: `the judge gave no score: ${failed ?? 'no answer'}`,
      unparsed: `expected a score in \\boxed{}, got ${excerpt(answer ?? '')}`,
    }[verdict];
    return { kind: 'refused', outcome: verdict, reason, made: judged };
  },
};

/** The number of unreadable judgements in a row at the run's beginning after which a person is asked. */
export const UNREADABLE = 8;

/** A judge that never gave a score may be set up wrongly, so the step parks and shows the answer. */
const requireReadable = async (store: Store, run: string, answer: string): Promise<void> => {
  const counts = (await store.readRun(run))?.totals.rounds?.counts ?? {};
  const { unparsed = 0, idea_failed: noIdea = 0, rm_failed: notAsked = 0 } = counts;
  const rounds = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (unparsed < UNREADABLE || rounds > unparsed + noIdea + notAsked) return;
  throw ApplicationFailure.nonRetryable(
    `the judge never answers in the format: expected a score in \\boxed{} at least once in ${unparsed + 1} judgements, got ${excerpt(answer)}. Give the role judge to another model, or set ideation.gate to off, then \`evolve retry --resample\``,
    'JudgeUnreadable',
  );
};

const excerpt = (answer: string): string =>
  answer.length > 200 ? `${JSON.stringify(answer.slice(0, 200))}...` : JSON.stringify(answer);
