// The one menu with which every picture of the page is saved: as SVG, as PNG, and its numbers as CSV.
import { useEffect, useRef } from 'preact/hooks';
import { type Picture, save } from './save.ts';

/** Pixels of a PNG for one of the picture, and the most that a side has. */
const SHARP = 2;
const LONGEST = 8_000;

const pngOf = async ({ svg, width, height }: Picture): Promise<Blob | null> => {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    image.src = url;
    await image.decode();
    const k = Math.min(SHARP, LONGEST / width, LONGEST / height);
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [Math.ceil(width * k), Math.ceil(height * k)];
    canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  } finally {
    URL.revokeObjectURL(url);
  }
};

/** A menu that closes at a click elsewhere, and by Escape. */
export const useMenu = () => {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const shut = (event: Event): void => {
      if (menu.current?.open && !menu.current.contains(event.target as Node)) menu.current.open = false;
    };
    addEventListener('click', shut);
    return () => removeEventListener('click', shut);
  }, []);
  const close = (): void => menu.current?.removeAttribute('open');
  /** The focus comes back to the menu's own button, for the items are hidden by then. */
  const leave = (): void => {
    if (menu.current?.open) menu.current.querySelector('summary')?.focus();
    close();
  };
  return { menu, close, leave };
};

type Props = {
  /** What is saved, in a few words; the names of the files are made of it. */
  readonly title: string;
  readonly picture: () => Picture;
  readonly csv: () => string;
};

export const SaveMenu = ({ title, picture, csv }: Props) => {
  const { menu, leave } = useMenu();
  const name = title.replaceAll(/[^\w.-]+/g, '-');
  const put = (ending: string, content: Blob | null): void => {
    if (content !== null) save(`${name}.${ending}`, content);
  };
  const kinds: readonly (readonly [string, () => void])[] = [
    ['SVG', () => put('svg', new Blob([picture().svg], { type: 'image/svg+xml' }))],
    ['PNG', () => void pngOf(picture()).then((png) => put('png', png))],
    ['CSV', () => put('csv', new Blob([csv()], { type: 'text/csv;charset=utf-8' }))],
  ];
  return (
    <details class="menu save" ref={menu} onKeyDown={({ key }) => key === 'Escape' && leave()}>
      <summary class="button" aria-label={`Save: ${title}`}>
        Save
      </summary>
      <ul>
        {kinds.map(([kind, act]) => (
          <li>
            <button
              type="button"
              onClick={() => {
                leave();
                act();
              }}
            >
              as {kind}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
};
