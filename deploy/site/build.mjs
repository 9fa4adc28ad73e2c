// `npm run docs`: the site of the docs in runs/site, which the page serves at /docs/; `-- --base /` makes it for another
// address, and `-- --gallery <run>`, which may be repeated, adds the pages of these runs. It is built from a copy of the
// Markdown files, beside pages that are made of settings and tests. A link that leads nowhere ends it.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, ROOT } from '../install.mjs';
import { linkFaults, pageFiles, textOf, withLinks } from './links.mjs';

const SITE = import.meta.dirname;
const OUT = join(ROOT, 'runs', 'site');
const { base, gallery } = parseArgs({
  options: { base: { type: 'string', default: '/docs/' }, gallery: { type: 'string', multiple: true, default: [] } },
}).values;

const run = (file, ...args) => {
  const { status } = spawnSync(file, args, {
    cwd: SITE,
    stdio: 'inherit',
    env: { ...process.env, EVOLVE_SITE: OUT, EVOLVE_SITE_BASE: base },
  });
  if (status !== 0) process.exit(1);
};

/** The page of that name on the site: a README is the index of its folder. */
const placeOf = (file) => file.replace(/README\.md$/, 'index.md');

/** Links to files that are no page become their names. */
const linked = (file, text, pages) =>
  withLinks(file, text, ({ whole, picture, name, target, anchor, path }) => {
    if (picture || target === '') return whole;
    return pages.has(path) ? `[${name}](${placeOf(target)}${anchor})` : name;
  });

const faults = linkFaults();
if (faults.length > 0) throw new Error(faults.join('\n'));
const node = await ensureInstalled();
if (!existsSync(join(SITE, 'node_modules', 'vitepress'))) run('npm', 'ci', '--no-audit', '--no-fund');

const copy = join(SITE, '.pages');
rmSync(copy, { recursive: true, force: true });
const files = pageFiles();
const pages = new Set(files);
for (const file of files) {
  const place = join(copy, placeOf(file));
  mkdirSync(dirname(place), { recursive: true });
  const text = textOf(file).replaceAll(/^<!-- .* -->\n/gm, '');
  writeFileSync(place, linked(file, text, pages));
}
cpSync(join(ROOT, 'docs', 'images'), join(copy, 'docs', 'images'), { recursive: true });
cpSync(join(SITE, '.vitepress'), join(copy, '.vitepress'), { recursive: true });

const generated = join(copy, 'docs', 'generated');
const support = join(ROOT, 'test', 'support', 'pages');
run(node, join(support, 'attempts.ts'), join(generated, 'attempts.md'));
run(node, join(support, 'acceptance.ts'), join(generated, 'acceptance.md'));
run(node, join(support, 'prompt-pages.ts'), generated);

const evolve = join(ROOT, 'cli', 'evolve.mjs');
const shown = gallery.map((name) => {
  const asked = spawnSync(node, [evolve, 'status', name, '--json'], { encoding: 'utf8' });
  if (asked.status !== 0) throw new Error(asked.stderr);
  const { run: id, method, task, best } = JSON.parse(asked.stdout);
  mkdirSync(join(copy, 'public', 'gallery'), { recursive: true });
  run(node, evolve, 'export', id, '--page', join(copy, 'public', 'gallery', `${id}.html`));
  return `| [${id}](${base}gallery/${id}.html){target="_self"} | ${task} | ${method} | ${best?.score ?? 'none'} |\n`;
});
writeFileSync(
  join(generated, 'gallery.md'),
  `# Gallery\n\n${shown.length === 0 ? 'No run is here: `npm run docs -- --gallery <run>` adds one.' : `The pages of runs.\n\n| run | task | method | best |\n| --- | --- | --- | --- |\n${shown.join('')}`}\n`,
);

run(node, join(SITE, 'node_modules', 'vitepress', 'bin', 'vitepress.js'), 'build', copy);
rmSync(copy, { recursive: true });
console.log(`The site is in ${relative(ROOT, OUT)}, for the address ${base} of a server, such as the page's.`);
