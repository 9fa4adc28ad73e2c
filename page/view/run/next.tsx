// The next move of a person: what the state of a run asks for, and the advice that follows from its data, with buttons.
import { useState } from 'preact/hooks';
import { type Move, moveTitle } from '../../../evolution/steering/advice/advice.ts';
import { refusalOf, wordsOf } from '../../../evolution/steering/verbs.ts';
import type { Glance } from '../../api/run/overview.ts';
import type { RunReport } from '../../api/run/runs.ts';
import { MoveDialog } from '../actions/dialogs.tsx';
import { useServerTime } from '../base/clock.tsx';
import { Card, Foreign } from '../base/parts.tsx';
import { theSource } from '../base/state.ts';
import { inZone, parkedWords } from '../base/text.ts';

type Props = { readonly report: RunReport; readonly glance: Glance };

/** Above everything else where nothing goes on without a person. */
export const NextStep = ({ report, glance }: Props) => {
  const { next, moves, atMs } = glance;
  if (!next.urgent && moves.length === 0) return null;
  return (
    <section class={next.urgent ? 'card whole next urgent' : 'card whole next'} aria-label="The next step">
      <p role={next.urgent ? 'alert' : undefined}>
        <Foreign text={inZone(`${next.what[0]!.toUpperCase()}${next.what.slice(1)}`)} />.
      </p>
      {report.parked === null ? null : <Waiting parked={report.parked} atMs={atMs} />}
      <Moves {...{ report, moves }} first={next.urgent} />
    </section>
  );
};

const Waiting = ({ parked, atMs }: { readonly parked: NonNullable<RunReport['parked']>; readonly atMs: number }) => (
  <p>{parkedWords(parked, useServerTime(atMs))} What is committed is kept.</p>
);

/** What follows from the data of a run that is at work. */
export const AdviceCard = ({ report, glance: { advice } }: Props) =>
  advice.length === 0 || theSource().site.exported !== null ? null : (
    <Card class="card whole next" title="What to do next">
      <ul>
        {advice.map(({ about, what, moves }) => (
          <li key={about}>
            <p>
              <Foreign text={what} />.
            </p>
            <Moves report={report} moves={moves} />
          </li>
        ))}
      </ul>
    </Card>
  );

type MovesProps = {
  readonly report: RunReport;
  readonly moves: readonly Move[];
  /** The first of them is the one to do. */
  readonly first?: boolean;
};

/** Each with what it costs. */
const Moves = ({ report, moves, first = false }: MovesProps) => {
  const [asked, ask] = useState<Move | null>(null);
  const { readOnly, exported } = theSource().site;
  const offered = moves.filter(({ verb }) => refusalOf(verb, report) === null);
  if (readOnly !== null || exported !== null || offered.length === 0) return null;
  return (
    <>
      <ul class="moves">
        {offered.map((move, index) => (
          <li key={`${move.verb} ${moveTitle(move)}`}>
            <button class={first && index === 0 ? 'main' : undefined} onClick={() => ask(move)}>
              {moveTitle(move)}
            </button>
            <span class="soft">{wordsOf(move.verb, report).cost}</span>
          </li>
        ))}
      </ul>
      {asked === null ? null : <MoveDialog move={asked} report={report} onClose={() => ask(null)} />}
    </>
  );
};
