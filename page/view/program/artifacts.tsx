// What the evaluator of a program showed beside its numbers: texts, tables and pictures. A picture is an image made of a
// blob, so nothing in it can act on the page.
import { useMemo, useState } from 'preact/hooks';
import { isBinary, isPicture, rowsOf, typeOf } from '../../../evolution/scoring/artifacts.ts';
import { artifactsPath, type ProgramArtifacts, type ProgramFacts } from '../../api/program/programs.ts';
import { useFew, When } from '../base/parts.tsx';
import { useAnswer } from '../base/state.ts';
import { type Column, Table } from '../base/tables.tsx';
import { count, shown } from '../base/text.ts';
import { LongText } from './code.tsx';
import { useBlob } from './picture.tsx';

/** Larger ones are fetched when somebody asks for them. */
const AT_ONCE = 300_000;
/** Rows that are drawn at first. */
const ROWS = 10;

type Props = {
  readonly run: string;
  readonly id: string;
  readonly kept: NonNullable<NonNullable<ProgramFacts['evaluated']>['artifacts']>;
};

export const Artifacts = ({ run, id, kept }: Props) => {
  const size = kept.reduce((sum, one) => sum + one.size, 0);
  const [isWanted, want] = useState(size <= AT_ONCE);
  const answer = useAnswer<ProgramArtifacts>(isWanted && kept.length > 0 ? artifactsPath(run, id) : null);
  if (kept.length === 0) return null;
  return (
    <section class="card">
      <h3>What its evaluator showed</h3>
      {isWanted ? (
        <When answer={answer} what="the artifacts">
          {({ artifacts }) => artifacts.map((one) => <One key={one.name} of={one} />)}
        </When>
      ) : (
        <button type="button" onClick={() => want(true)}>
          Fetch {count(kept.length)} artifacts, {count(Math.ceil(size / 1024))} KiB
        </button>
      )}
    </section>
  );
};

type OneProps = { readonly of: ProgramArtifacts['artifacts'][number] };

const One = ({ of }: OneProps) => (
  <figure class="artifact">
    <figcaption>
      <bdi>{shown(of.name)}</bdi>
    </figcaption>
    {isPicture(of) ? (
      <Image of={of} />
    ) : of.kind === 'table' ? (
      <Cells of={of} />
    ) : (
      <LongText text={of.text} label={of.name} />
    )}
  </figure>
);

const Image = ({ of }: OneProps) => {
  const url = useBlob(
    useMemo(() => (isBinary(of) ? bytesOf(of.text) : of.text), [of]),
    typeOf(of),
  );
  return url === null ? null : <img src={url} alt={`Picture ${shown(of.name)} of the evaluator`} />;
};

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));

const Cells = ({ of }: OneProps) => {
  const [head = [], ...rows] = rowsOf(of);
  const { listed, more } = useFew(rows, ROWS, 'rows');
  const isNumber = (column: number): boolean => rows.every((row) => !Number.isNaN(Number(row[column] ?? '')));
  return (
    <>
      <Table
        label={of.name}
        of={listed}
        columns={head.map((title, column): Column<readonly string[]> => [
          shown(title),
          (row) => shown(row[column] ?? ''),
          isNumber(column) ? 'number' : undefined,
        ])}
      />
      {more}
    </>
  );
};
