// A program beside another one: its parent, the best, the initial program, or any that a person names.
import { numberEntry, numbersIn, numbersOf } from '../../../evolution/reports/program-numbers.ts';
import { type ProgramFacts, programPath, typedId } from '../../api/program/programs.ts';
import { TextField } from '../base/controls.tsx';
import { Nothing, When } from '../base/parts.tsx';
import { programLink, route, setQuery, useAnswer } from '../base/state.ts';
import { figures, Numbers, Table } from '../base/tables.tsx';
import { outcomeName } from '../base/text.ts';
import { shortId } from '../table/cells.ts';
import { Difference } from './difference.tsx';
import { useState } from 'preact/hooks';

type Props = {
  readonly run: string;
  readonly facts: ProgramFacts;
  readonly other: string | null;
  readonly language: string;
  /** The words where there is no other program. */
  readonly none: string;
  /** The numbers of the two stand above their difference. */
  readonly withNumbers?: boolean;
};

export const Against = ({ run, facts, other, language, none, withNumbers = false }: Props) => {
  const answer = useAnswer<ProgramFacts>(other === null ? null : programPath(run, other));
  if (other === null) return <Nothing>{none}</Nothing>;
  return (
    <When answer={answer} what="the other program">
      {(before) => (
        <>
          {withNumbers ? <Both run={run} of={[before, facts]} /> : null}
          {before.code === null || facts.code === null ? (
            <Nothing>One of the two has no code.</Nothing>
          ) : (
            <Difference
              before={before.code}
              after={facts.code}
              names={[shortId(other, run), shortId(facts.id, run)]}
              language={language}
            />
          )}
        </>
      )}
    </When>
  );
};

const NUMBERS = numbersIn('base');

/** The numbers of two programs, the other one first, as in their difference. */
const Both = ({ run, of }: { readonly run: string; readonly of: readonly ProgramFacts[] }) => (
  <Table
    label="The two programs"
    columns={['program', 'outcome', ...figures(...NUMBERS.map((name) => numberEntry(name).title))]}
  >
    {of.map((facts) => {
      const numbers: { readonly [name: string]: number | null } = numbersOf('base', facts);
      return (
        <tr>
          <th scope="row">
            <a class="id" href={programLink(facts.run, facts.id)}>
              {shortId(facts.id, run)}
            </a>
          </th>
          <td>{outcomeName(facts.outcome)}</td>
          <Numbers
            of={NUMBERS.map((name) => (numbers[name] == null ? '–' : numberEntry(name).text(numbers[name] as never)))}
          />
        </tr>
      );
    })}
  </Table>
);

type WithProps = Omit<Props, 'other' | 'none'> & {
  /** Programs that have a word, such as the best. */
  readonly named: readonly (readonly [word: string, id: string | null])[];
};

/** The address holds the id, so that it can be sent. */
export const CompareWith = ({ named, ...props }: WithProps) => {
  const { run } = props;
  const other = route.value.query.get('with');
  const [typed, setTyped] = useState('');
  const id = typedId(typed, run);
  const put = (one: string | null): void => setQuery({ with: one });
  return (
    <>
      <form
        class="controls"
        aria-label="The other program"
        onSubmit={(event) => {
          event.preventDefault();
          put(id);
        }}
      >
        {named.map(([word, one]) =>
          one === null || one === props.facts.id ? null : (
            <button type="button" aria-pressed={other === one} onClick={() => put(one)}>
              {word}
            </button>
          ),
        )}
        <TextField label="or the id of any program of any run" value={typed} set={setTyped} placeholder="demo:3:0:12" />
        <button disabled={id === null}>Compare</button>
      </form>
      <Against {...props} other={other} none="Choose the other program." withNumbers />
    </>
  );
};
