// `npm run docs`: the site of the docs in runs/site, which the page serves at /docs/; `-- --base /` makes it for another
// address. It is built from a copy of the Markdown files, beside pages that are made of settings and tests. A link to a
// page that is not there ends it.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, ROOT } from '../install.mjs';

const SITE = import.meta.dirname;
const OUT = join(ROOT, 'runs', 'site');
const { base } = parseArgs({ options: { base: { type: 'string', default: '/docs/' } } }).values;
const PAGES = [
  '*.md',
  'docs/**/*.md',
  'examples/README.md',
  'experiments/codeevolve/settings/README.md',
  'tasks/*/README.md',
];

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

/** Links to files that are no page become their names, and one to nothing ends the build. */
const linked = (file, text, pages) =>
  text.replaceAll(/(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)/g, (whole, picture, name, target, anchor = '') => {
    if (/^[a-z]+:/.test(target)) return whole;
    const path = relative(ROOT, resolve(ROOT, dirname(file), target));
    if (!existsSync(join(ROOT, path))) throw new Error(`${file}: expected a file at the link ${target}`);
    if (picture !== '') return whole;
    return pages.has(path) ? `[${name}](${placeOf(target)}${anchor})` : name;
  });

const node = await ensureInstalled();
if (!existsSync(join(SITE, 'node_modules', 'vitepress'))) run('npm', 'ci', '--no-audit', '--no-fund');

const copy = join(SITE, '.pages');
rmSync(copy, { recursive: true, force: true });
const files = PAGES.flatMap((pattern) => globSync(pattern, { cwd: ROOT }));
const pages = new Set(files);
for (const file of files) {
  const place = join(copy, placeOf(file));
  mkdirSync(dirname(place), { recursive: true });
  const text = readFileSync(join(ROOT, file), 'utf8').replaceAll(/^<!-- .* -->\n/gm, '');
  writeFileSync(place, linked(file, text, pages));
}
cpSync(join(ROOT, 'docs', 'images'), join(copy, 'docs', 'images'), { recursive: true });
cpSync(join(SITE, '.vitepress'), join(copy, '.vitepress'), { recursive: true });

const generated = join(copy, 'docs', 'generated');
const support = join(ROOT, 'test', 'support', 'pages');
run(node, join(support, 'attempts.ts'), join(generated, 'attempts.md'));
run(node, join(support, 'acceptance.ts'), join(generated, 'acceptance.md'));
run(node, join(support, 'prompt-pages.ts'), generated);

run(node, join(SITE, 'node_modules', 'vitepress', 'bin', 'vitepress.js'), 'build', copy);
rmSync(copy, { recursive: true });
console.log(`The site is in ${relative(ROOT, OUT)}, for the address ${base} of a server, such as the page's.`);
