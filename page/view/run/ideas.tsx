// Ideas that came before programs: their scores by a judge, their outcomes, and the share in which the judge was right.
import type { Bin, IdeaLine, IdeasAnswer } from '../../api/program/prompts.ts';
import { Card, Figure, Foreign, Nothing, When } from '../base/parts.tsx';
import { programLink, useRunAnswer } from '../base/state.ts';
import { Table } from '../base/tables.tsx';
import { count, gain, outcomeName, percent, score } from '../base/text.ts';

type Props = { readonly run: string; readonly sign: 1 | -1 };

const GATES: { readonly [gate in IdeasAnswer['gate']]: string } = {
  on: 'stops ideas below it',
  off: 'is off: no judge is asked',
  shadow: 'is in the shadow: it says what it would stop, and stops nothing',
};

export const Ideas = ({ run, sign }: Props) => (
  <Card class="" title="Ideas and their judge">
    <When answer={useRunAnswer<IdeasAnswer>(run, 'ideas')} what="the ideas">
      {(answer) =>
        answer.ideas === 0 ? (
          <Nothing>
            The first ideas come with the first step: each is judged, and then carried out as a program.
          </Nothing>
        ) : (
          <All run={run} sign={sign} answer={answer} />
        )
      }
    </When>
  </Card>
);

type AllProps = Props & { readonly answer: IdeasAnswer };

const All = ({ run, sign, answer }: AllProps) => {
  const { ideas, programs, unjudged, unparsed, agreement, threshold, gate, newest, overrated, underrated } = answer;
  return (
    <>
      <dl class="figures">
        <Figure name="ideas">{count(ideas)}</Figure>
        <Figure name="programs made of them">{count(programs)}</Figure>
        <Figure name="not judged">{count(unjudged)}</Figure>
        <Figure name="no score in the answer">{count(unparsed)}</Figure>
        <Figure
          name="judge agrees with outcome"
          title="How likely the judge scores an idea with a program that is better than its parent above one without; a coin comes to 50 %."
        >
          {agreement === null ? '–' : percent(agreement)}
        </Figure>
      </dl>
      <p class="soft">
        The threshold is {threshold}; the gate {GATES[gate]}.{' '}
        {agreement === null
          ? ''
          : `Each idea counts once. Of two ideas, one of which has a program that is better than its parent, the judge gives that one the higher score in ${percent(agreement)} of cases; a coin comes to 50 %.`}
      </p>
      {unjudged + unparsed === ideas ? null : <Calibration answer={answer} sign={sign} />}
      <Lines run={run} sign={sign} title="Judged high, and no program is better than its parent" ideas={overrated} />
      <Lines run={run} sign={sign} title="Judged low, and a program is better than its parent" ideas={underrated} />
      <Lines
        run={run}
        sign={sign}
        title={`Newest ideas${newest.length < ideas ? ` (${newest.length} of ${count(ideas)})` : ''}`}
        ideas={newest}
      />
    </>
  );
};

const Calibration = ({ sign, answer: { bins, threshold } }: Omit<AllProps, 'run'>) => {
  const most = Math.max(...bins.map(({ ideas }) => ideas), 1);
  const title = 'What became of ideas, by the score of the judge';
  const place = ({ from, to }: Bin): string => {
    if (threshold > from && threshold < to) return ' (threshold within)';
    return threshold === from ? ' (from the threshold on)' : '';
  };
  return (
    <Table
      label={title}
      class="calibration"
      of={bins.filter(({ ideas }) => ideas > 0)}
      columns={[
        ['judged', (bin) => `${bin.from} to ${bin.to}${place(bin)}`],
        [
          'ideas',
          ({ ideas }) => (
            <>
              <span class="bar" style={{ width: `${(70 * ideas) / most}%` }} aria-hidden="true" /> {count(ideas)}
            </>
          ),
        ],
        ['carried out', ({ carried }) => count(carried), 'number'],
        ['programs', ({ programs }) => count(programs), 'number'],
        ['valid', (bin) => shareOf(bin.valid, bin), 'number'],
        ['better than parent', (bin) => shareOf(bin.helped, bin), 'number'],
        ['mean change', ({ meanGain }) => (meanGain === null ? '–' : gain(sign * meanGain)), 'number'],
      ]}
    />
  );
};

const shareOf = (some: number, { programs }: Pick<Bin, 'programs'>): string =>
  programs === 0 ? '–' : percent(some / programs);

const verdict = ({ judged, would }: IdeaLine): string =>
  judged === null
    ? 'not judged'
    : judged < 0
      ? 'no score in the answer'
      : `judged ${judged}${would === null || would === 'pass' ? '' : ', would be stopped'}`;

const outcomeWords = ({ programs, helped }: IdeaLine): string =>
  programs === 0
    ? 'not carried out'
    : `${helped} of ${programs === 1 ? '1 program' : `${programs} programs`} better than the parent`;

const Lines = ({ run, sign, title, ideas }: Props & { readonly title: string; readonly ideas: readonly IdeaLine[] }) =>
  ideas.length === 0 ? null : (
    <details open={ideas.length <= 8}>
      <summary>{title}</summary>
      <ul class="ideas">
        {ideas.map((idea) => (
          <li class="card">
            <p>
              <a href={programLink(run, idea.program)}>
                {idea.outcome === 'valid' ? `best ${score(idea.score)}` : outcomeName(idea.outcome)}
              </a>{' '}
              <span class={idea.helped > 0 ? 'badge good' : 'badge plain'}>{outcomeWords(idea)}</span>{' '}
              <span class="soft">
                {verdict(idea)}
                {idea.meanGain === null ? '' : `, mean change ${gain(sign * idea.meanGain)}`}
              </span>
            </p>
            <p class="idea short" tabIndex={0}>
              <Foreign text={idea.text} />
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
