// A program beside another one: its parent, the best, the initial program, or any that a person names.
import { useState } from 'preact/hooks';
import { numberTexts } from '../../../evolution/reports/program-numbers.ts';
import { ownerOf, type ProgramFacts, programPath, typedId } from '../../api/program/programs.ts';
import { rowOf, type Rows } from '../../api/rows/rows.ts';
import { TextField } from '../base/controls.tsx';
import { Nothing, When } from '../base/parts.tsx';
import { programLink, route, setQuery, useAnswer } from '../base/state.ts';
import { outcomeName } from '../base/text.ts';
import { shortId } from '../table/cells.ts';
import { Difference } from './difference.tsx';

type Props = {
  readonly run: string;
  /** The run that has the other one, where that is not this run. */
  readonly of?: string;
  readonly facts: ProgramFacts;
  readonly other: string | null;
  readonly language: string;
  /** The words where there is no other program. */
  readonly none: string;
};

export const Against = ({ run, of = run, facts, other, language, none }: Props) => {
  const answer = useAnswer<ProgramFacts>(other === null ? null : programPath(of, other));
  if (other === null) return <Nothing>{none}</Nothing>;
  return (
    <When answer={answer} what="the other program">
      {(before) => (
        <>
          <ul class="relatives">
            {[before, facts].map((one) => (
              <li>
                <a class="id" href={programLink(one.run, one.id)}>
                  {shortId(one.id, run)}
                </a>
                : {outcomeName(one.outcome)}, {numberTexts('base', one)}
              </li>
            ))}
          </ul>
          {before.code === null || facts.code === null ? (
            <Nothing>One of the two has no code.</Nothing>
          ) : (
            <Difference
              {...{ before: before.code, after: facts.code, language }}
              names={[shortId(other, run), shortId(facts.id, run)]}
            />
          )}
        </>
      )}
    </When>
  );
};

/** The address holds the id, so that it can be sent. */
export const CompareWith = ({
  initial,
  rows,
  ...props
}: Omit<Props, 'of' | 'other' | 'none'> & { readonly initial: string | null; readonly rows: Rows | null }) => {
  const other = route.value.query.get('with');
  const isOther = other !== null && (rows === null || rowOf(rows, other) < 0);
  const [typed, setTyped] = useState('');
  const id = typedId(typed, props.run);
  return (
    <>
      <form
        class="controls"
        aria-label="The other program"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery({ with: id });
        }}
      >
        <TextField label="id of any program of any run" value={typed} set={setTyped} placeholder="demo:3:0:12" />
        <button disabled={id === null}>Compare</button>
        <button type="button" aria-pressed={other === initial} onClick={() => setQuery({ with: initial })}>
          The initial program
        </button>
      </form>
      <Against {...props} {...(isOther ? { of: ownerOf(other) } : {})} other={other} none="Name the other program." />
    </>
  );
};
