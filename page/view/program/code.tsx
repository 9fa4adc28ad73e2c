// Code and other long texts: with line numbers and colours, cut where they are too long to be drawn at once, with a way
// to see all of it. Colours come from the worker as ranges, and become elements.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { lineStarts, type Piece, piecesOf } from '../../api/program/colours.ts';
import { Cut } from '../base/parts.tsx';
import { copy } from '../base/save.ts';
import { count, shown } from '../base/text.ts';
import { askColour } from '../rows/thread.ts';

/** Lines that are drawn at first, and characters of a line. */
const LINES = 1_000;
const LINE = 2_000;
const NO_RANGES = new Uint32Array();
/** Above this, colours are left out. */
const MOST_COLOURED = 2_000_000;

export const Copy = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const [done, setDone] = useState(false);
  return (
    <button
      type="button"
      class="copy"
      onClick={() => {
        void copy(text).then(() => setDone(true));
        setTimeout(() => setDone(false), 2_000);
      }}
    >
      {done ? 'Copied' : `Copy ${what}`}
    </button>
  );
};

/** The colours of a text; none until they are there, and where there are none for its language. */
export const useColours = (text: string, language: string): Uint32Array => {
  const [ranges, setRanges] = useState<{ readonly of: string; readonly ranges: Uint32Array } | null>(null);
  useEffect(() => {
    if (text.length > MOST_COLOURED) return undefined;
    let here = true;
    // Without colours the code can be read all the same.
    askColour(text, language).then(
      (colours) => here && setRanges({ of: text, ranges: colours }),
      () => undefined,
    );
    return () => {
      here = false;
    };
  }, [text, language]);
  return ranges?.of === text ? ranges.ranges : NO_RANGES;
};

export const pieces = (parts: readonly Piece[]) =>
  parts.map(({ text, is }) => (is === null ? shown(text) : <span class={`code-${is}`}>{shown(text)}</span>));

type CodeProps = { readonly text: string; readonly label: string; readonly language: string };

export const Code = ({ text, label, language }: CodeProps) => {
  const [whole, setWhole] = useState(false);
  const ranges = useColours(text, language);
  const starts = useMemo(() => lineStarts(text), [text]);
  const lines = starts.length - 1;
  const long = useMemo(() => starts.some((start, line) => (starts[line + 1] ?? start) - start > LINE), [starts]);
  const drawn = Math.min(lines, LINES);
  const cut = drawn < lines || long;
  return (
    <>
      <pre class={whole ? 'code' : 'code numbered'} tabIndex={0} role="region" aria-label={label}>
        {whole
          ? shown(text)
          : starts.slice(0, drawn).map((start, line) => {
              const end = starts[line + 1]!;
              const last = Math.min(end, start + LINE);
              return (
                <span class="code-line" key={line}>
                  {pieces(piecesOf(text, ranges, start, last))}
                  {last < end ? <span class="soft"> … {count(end - last)} more characters</span> : null}
                  {last < end || !text.endsWith('\n', end) ? '\n' : null}
                </span>
              );
            })}
      </pre>
      {cut ? (
        <p class="cut">
          {whole ? null : (
            <>
              Shown: {count(drawn)} of {count(lines)} lines{long ? ', long ones cut' : ''}.{' '}
            </>
          )}
          <button type="button" onClick={() => setWhole(!whole)}>
            {whole ? 'Show the beginning, with colours' : `Show all ${count(text.length)} characters`}
          </button>
        </p>
      ) : null}
    </>
  );
};

/** Characters of a text that are drawn at first. */
const TEXT = 20_000;

/** A text of a model or a candidate, with its lines as they are. */
export const LongText = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const [whole, setWhole] = useState(false);
  const cut = text.length > TEXT && !whole;
  return (
    <>
      <pre class="text" tabIndex={0} role="region" aria-label={label}>
        <bdi>{shown(cut ? text.slice(0, TEXT) : text)}</bdi>
      </pre>
      {cut ? <Cut shown={TEXT} of={text.length} unit="characters" onAll={() => setWhole(true)} /> : null}
    </>
  );
};
