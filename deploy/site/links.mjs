// The pages of the docs and where their links lead. `npm run check` and `npm run docs` refuse a link that leads nowhere.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { ROOT } from '../install.mjs';

const PAGE = /^([^/]+|docs\/.+|examples\/README|experiments\/codeevolve\/settings\/README|tasks\/[^/]+\/README)\.md$/;
const LINK = /(!?)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)/g;

export const pageFiles = () =>
  spawnSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { cwd: ROOT, encoding: 'utf8' })
    .stdout.split('\n')
    .filter((file) => PAGE.test(file) && existsSync(join(ROOT, file)));
export const textOf = (file) => readFileSync(join(ROOT, file), 'utf8');

/** The text with each link to a file in this project replaced by what `write` gives for it. */
export const withLinks = (file, text, write) =>
  text.replaceAll(LINK, (whole, picture, name, target, anchor = '') =>
    /^[a-z]+:/.test(target)
      ? whole
      : write({
          ...{ whole, name, target, anchor, picture: picture !== '' },
          path: target === '' ? file : relative(ROOT, resolve(ROOT, dirname(file), target)),
        }),
  );

/** The anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (text) => {
  const seen = new Map();
  return new Set(
    [...text.replaceAll(/^```[^]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => {
      const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
      const anchor = words.replaceAll(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-');
      const before = seen.get(anchor) ?? 0;
      seen.set(anchor, before + 1);
      return before === 0 ? `#${anchor}` : `#${anchor}-${before}`;
    }),
  );
};

/** A sentence for each link that leads to no file or to no heading. */
export const linkFaults = () => {
  const faults = [];
  const anchors = new Map();
  for (const file of pageFiles()) {
    const text = textOf(file).replaceAll(/^```[^]*?^```/gm, '');
    withLinks(file, text, ({ whole, target, anchor, path }) => {
      if (!existsSync(join(ROOT, path))) faults.push(`${file}: expected a file at the link ${target}`);
      else if (anchor !== '' && path.endsWith('.md')) {
        if (!anchors.has(path)) anchors.set(path, anchorsOf(textOf(path)));
        if (!anchors.get(path).has(anchor)) faults.push(`${file}: expected a heading for the link ${target}${anchor}`);
      }
      return whole;
    });
  }
  return faults;
};

if (process.argv[1] === import.meta.filename) {
  const faults = linkFaults();
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
