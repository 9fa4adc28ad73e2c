// A mark of a person on a run or a program: its words, and the button that sets, changes and removes it.
import { useState } from 'preact/hooks';
import { markText, personText, type SetMark } from '../../../evolution/steering/base/people.ts';
import { titleOf } from '../../api/actions/actions.ts';
import { Foreign } from '../base/parts.tsx';
import { theSource, useReport } from '../base/state.ts';
import { exactMoment } from '../base/text.ts';
import { ActionDialog } from './dialogs.tsx';

/** The star and the label; nothing where there is no mark. */
export const MarkBadge = ({ mark }: { readonly mark: SetMark | null | undefined }) =>
  mark == null ? null : (
    <span class="badge plain mark">
      <Foreign text={markText(mark)} />
    </span>
  );

/** The note, and who set the mark when. */
export const MarkWords = ({ mark }: { readonly mark: SetMark | null | undefined }) =>
  mark == null ? null : (
    <p class="mark-words">
      {mark.note === null ? null : <Foreign text={mark.note} />}{' '}
      <span class="soft">
        marked by <Foreign text={personText(mark.by)} />, {exactMoment(Date.parse(mark.at))}
      </span>
    </p>
  );

/** What stands in the fields of its dialog. */
export const givenMark = (mark: SetMark | null): object =>
  Object.fromEntries(Object.entries(mark ?? {}).filter(([, value]) => value !== null));

type ButtonProps = { readonly run: string; readonly program: string; readonly mark: SetMark | null };

export const MarkButton = ({ run, program, mark }: ButtonProps) => {
  const report = useReport(run).value;
  const [open, setOpen] = useState(false);
  const { readOnly, exported } = theSource().site;
  if (readOnly !== null || exported !== null || report === null) return null;
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {titleOf('mark')}
      </button>
      {open ? (
        <ActionDialog
          verb="mark"
          report={report}
          program={program}
          given={givenMark(mark)}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
};
