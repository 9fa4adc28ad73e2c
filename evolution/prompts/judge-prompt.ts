// What the reward model reads (AlphaResearch, section 2, Gate): the one template of gate, evaluation and exported training data, so that a
// model is asked as it was trained. Called when an idea is judged and by `evolve export reward-model`; parseVerdict reads the answer.

export type Judged = {
  /** Empty at run time: ideas have none. */
  readonly title?: string | undefined;
  readonly idea: string;
};

const TEMPLATE = String.raw`You are an expert reviewer. Read the research proposal below and judge its quality by its clarity, its novelty, its technical rigor and its potential impact.

- Give one score from 1 to 10.
- A score of 6 means slightly above the borderline, a score of 5 slightly below it.
- Write the score as a number in \boxed{}.

The proposal:

`;

/** The one user message of the request; there is no system message. The idea is shown whole. */
export const buildJudgePrompt = ({ title = '', idea }: Judged): string => `${TEMPLATE}${title}\n${idea}`;
