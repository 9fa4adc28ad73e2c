// The site of the docs: what stands in which part, and a search that needs no network.
const page = (text, name) => ({ text, link: `/docs/${name}` });
const part = (text, ...items) => ({ text, collapsed: false, items });

/** Methods and controls whose requests test/support/pages/prompt-pages.ts writes. */
const REQUESTS = 'theta delta research code openevolve parallel-sampling greedy-refine naive shinkaevolve'.split(' ');

// VitePress takes a default export only.
export default {
  title: 'DurableEvolve',
  description: 'Search for better programs with language models, on a durable workflow engine',
  outDir: process.env.EVOLVE_SITE,
  base: process.env.EVOLVE_SITE_BASE,
  // Pages are Markdown alone: what looks like a tag or a placeholder of Vue is text.
  markdown: {
    html: false,
    config: (md) => {
      const { text } = md.renderer.rules;
      md.renderer.rules.text = (...all) => text(...all).replaceAll('{{', '&#123;&#123;');
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      part(
        'Guide',
        { text: 'Start', link: '/' },
        page('All pages', ''),
        page('Your own problem', 'own-problem'),
        page('From a notebook', 'from-a-notebook'),
        page('From OpenEvolve', 'from-openevolve'),
        page('From ShinkaEvolve', 'from-shinkaevolve'),
        page('Folders of other systems', 'peers-folders'),
        page('Questions', 'faq'),
        page('Gallery', 'generated/gallery'),
        page('Tasks', 'tasks'),
        page('Methods', 'methods/'),
        page('Models', 'models'),
        page('Steering', 'steering'),
        page('The page', 'page'),
        page('Sweeps and schedules', 'sweeps'),
        page('Python', 'python'),
        page('Coding agents', 'agents'),
        page('Learning', 'learning'),
        page('Experiments', 'experiments'),
        { text: 'Library', link: '/examples/' },
      ),
      part(
        'Reference',
        page('Settings', 'configuration'),
        page('Commands', 'cli'),
        page('JSON of commands', 'json'),
        page('HTTP', 'http'),
        page('Prompts', 'prompts'),
        ...REQUESTS.flatMap((name) => [
          page(`Requests of ${name}`, `generated/prompts-${name}`),
          page(`Requests of ${name}, paper`, `generated/prompts-${name}-paper`),
        ]),
        page('Population', 'population'),
        page('What endpoints send', 'shapes'),
        page('Temporal UI', 'temporal-ui'),
        page('Glossary', 'glossary'),
        { text: 'Changelog', link: '/CHANGELOG' },
      ),
      part(
        'Operations',
        page('Overview', 'operations'),
        page('Hosts', 'operations/hosts'),
        page('Upgrades', 'operations/upgrades'),
        page('Data', 'operations/data'),
        page('Sharing', 'operations/sharing'),
        page('Telemetry', 'operations/telemetry'),
        page('Trackers', 'trackers'),
        page('Deployment', 'operations/deployment'),
        page('Sandbox', 'operations/sandbox'),
        page('Steady state', 'operations/steady'),
      ),
      part(
        'Internals',
        page('Architecture', 'architecture'),
        page('Decisions', 'decisions/'),
        page('Security', 'security'),
        page('What was tried', 'generated/attempts'),
        page('Acceptance', 'generated/acceptance'),
        page('Tests', 'testing'),
        page('Reports that were tried', 'reports-tried'),
        page('Measurements', 'measurements'),
        page('Dependencies', 'dependencies'),
        { text: 'Contributing', link: '/CONTRIBUTING' },
      ),
    ],
  },
};
