// The differences of two programs: side by side where there is room, else one below the other. The worker finds them.
import { useEffect, useMemo, useState } from 'preact/hooks';
import {
  type Block,
  blocksOf,
  commonEnds,
  type DiffLine,
  foldedLines,
  linesOf,
  paired,
} from '../../api/program/diff.ts';
import { lineStarts, piecesOf } from '../../api/program/colours.ts';
import { Alert, Busy, Cut } from '../base/parts.tsx';
import { Scroll } from '../base/tables.tsx';
import { count, counted, shown } from '../base/text.ts';
import { askCompare } from '../rows/thread.ts';
import { pieces, useColours } from './code.tsx';

const WIDE = '(min-width: 1000px)';
/** Lines that are drawn at first, and characters of a line. */
const LINES = 2_000;
const LINE = 2_000;

const useWide = (): boolean => {
  const [wide, setWide] = useState(matchMedia(WIDE).matches);
  useEffect(() => {
    const media = matchMedia(WIDE);
    const read = (): void => setWide(media.matches);
    media.addEventListener('change', read);
    return () => media.removeEventListener('change', read);
  }, []);
  return wide;
};

/** One of the two texts: its lines, where each begins, and its colours. */
type Text = {
  readonly text: string;
  readonly lines: readonly string[];
  readonly starts: readonly number[];
  readonly ranges: Uint32Array;
};

const useText = (text: string, language: string): Text => {
  const ranges = useColours(text, language);
  return useMemo(() => ({ text, lines: linesOf(text), starts: lineStarts(text), ranges }), [text, ranges]);
};

/** A line whose difference from the other one is marked. Marks that would cover nearly all of it say nothing. */
const marked = ({ text, lines, starts, ranges }: Text, place: number, other: string | null, Tag: 'del' | 'ins') => {
  const from = starts[place]!;
  const length = Math.min(LINE, lines[place]!.length);
  const part = (start: number, end: number) => pieces(piecesOf(text, ranges, from + start, from + end));
  const cut = lines[place]!.length > LINE ? ' …' : '';
  const [head, tail] = other === null ? [0, 0] : commonEnds(lines[place]!.slice(0, LINE), other);
  if (head + tail === 0 || head + tail >= length || head + tail < length / 3) return [part(0, length), cut];
  return (
    <>
      {part(0, head)}
      <Tag>{part(head, length - tail)}</Tag>
      {part(length - tail, length)}
      {cut}
    </>
  );
};

type Sides = { readonly before: Text; readonly after: Text };
type RowsProps = {
  readonly lines: readonly DiffLine[];
  readonly sides: Sides;
  readonly onOpen: (block: number) => void;
};
type FoldProps = Pick<RowsProps, 'onOpen'> & {
  readonly line: Extract<DiffLine, { readonly kind: 'fold' }>;
  readonly columns: number;
};

const Fold = ({ line, columns, onOpen }: FoldProps) => (
  <tr class="fold">
    <td colSpan={columns}>
      <button type="button" onClick={() => onOpen(line.block)}>
        {count(line.count)} equal lines
      </button>
    </td>
  </tr>
);

const Beside = ({ lines, sides: { before, after }, onOpen }: RowsProps) => (
  <>
    {paired(lines).map((pair) => {
      if (pair.kind === 'fold') return <Fold line={pair} columns={4} onOpen={onOpen} />;
      const old = pair.same || pair.before === null ? null : before.lines[pair.before]!;
      const now = pair.same || pair.after === null ? null : after.lines[pair.after]!;
      return (
        <tr>
          <Side text={before} place={pair.before} other={now} kind={pair.same ? 'kept' : 'went'} />
          <Side text={after} place={pair.after} other={old} kind={pair.same ? 'kept' : 'came'} />
        </tr>
      );
    })}
  </>
);

type SideProps = {
  readonly text: Text;
  /** The number of the line; null for none. */
  readonly place: number | null;
  /** The line that it is compared with; null for none. */
  readonly other: string | null;
  readonly kind: 'kept' | 'went' | 'came';
};

const Side = ({ text, place, other, kind }: SideProps) => (
  <>
    <td class="place">{place === null ? '' : place + 1}</td>
    <td class={place === null ? 'none' : kind}>
      {place === null ? '' : marked(text, place, other, kind === 'went' ? 'del' : 'ins')}
    </td>
  </>
);

const Below = ({ lines, sides: { before, after }, onOpen }: RowsProps) => (
  <>
    {lines.map((line) => {
      if (line.kind === 'fold') return <Fold line={line} columns={2} onOpen={onOpen} />;
      const went = line.kind === 'went';
      return (
        <tr>
          <Side
            text={went ? before : after}
            place={went ? line.before : line.after}
            other={null}
            kind={line.kind === 'same' ? 'kept' : line.kind}
          />
        </tr>
      );
    })}
  </>
);

type Props = {
  readonly before: string;
  readonly after: string;
  readonly names: readonly [before: string, after: string];
  readonly language: string;
};

/** The blocks of two texts that the worker found; null while it looks for them. */
const useBlocks = (before: string, after: string) => {
  const of = `${before}\0${after}`;
  const [blocks, setBlocks] = useState<{ readonly of: string; readonly list: readonly Block[] } | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    let here = true;
    askCompare(before, after).then(
      (lengths) => here && setBlocks({ of, list: blocksOf(lengths) }),
      (failure: unknown) => here && setError(String(failure)),
    );
    return () => {
      here = false;
    };
  }, [of]);
  return { blocks: blocks?.of === of ? blocks.list : null, error };
};

export const Difference = (props: Props) => {
  const { before, after } = props;
  const { blocks, error } = useBlocks(before, after);
  if (error !== null) return <Alert>{error}</Alert>;
  if (blocks === null) return <Busy>Comparing …</Busy>;
  const changed = blocks.filter(({ same }) => !same);
  if (changed.length === 0) return <p>The two are the same, letter by letter.</p>;
  const went = changed.reduce((sum, { beforeFrom, beforeTo }) => sum + beforeTo - beforeFrom, 0);
  const came = changed.reduce((sum, { afterFrom, afterTo }) => sum + afterTo - afterFrom, 0);
  return (
    <>
      <p class="soft">
        {counted(went, 'line')} went (−), {count(came)} came (+).
      </p>
      <Blocks key={`${before}\0${after}`} {...props} blocks={blocks} />
    </>
  );
};

const Blocks = ({ before, after, names, language, blocks }: Props & { readonly blocks: readonly Block[] }) => {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [most, setMost] = useState(LINES);
  const wide = useWide();
  const sides = { before: useText(before, language), after: useText(after, language) };
  const all = foldedLines(blocks, opened);
  const lines = all.slice(0, most);
  const Lines = wide ? Beside : Below;
  return (
    <>
      <Scroll label={`Differences of ${names[0]} and ${names[1]}`}>
        <table class={wide ? 'diff beside' : 'diff'}>
          <colgroup>
            <col class="place" />
            <col />
            {wide ? <col class="place" /> : null}
            {wide ? <col /> : null}
          </colgroup>
          <thead>
            <tr>
              {(wide ? names : [names.join(' → ')]).map((name) => (
                <th colSpan={2}>{shown(name)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Lines lines={lines} sides={sides} onOpen={(block) => setOpened(new Set([...opened, block]))} />
          </tbody>
        </table>
      </Scroll>
      <Cut shown={lines.length} of={all.length} unit="lines" onAll={() => setMost(all.length)} />
    </>
  );
};
