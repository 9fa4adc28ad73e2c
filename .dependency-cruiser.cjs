// Which room may import which. A folder imports one way: two folders that import each other are one subject, or have a third in common.
const ROOMS = ['evolution', 'workflows', 'activities', 'workers', 'client', 'page', 'cli', 'tasks', 'deploy', 'test'];

const only = (name, from, ...rooms) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { path: `^(${ROOMS.join('|')})/`, pathNot: `^(${rooms.join('|')})/` },
});

module.exports = {
  forbidden: [
    { name: 'folders-import-one-way', severity: 'error', scope: 'folder', from: {}, to: { circular: true } },
    only('evolution-is-pure', '^evolution/', 'evolution'),
    {
      name: 'evolution-has-no-outside-world',
      severity: 'error',
      from: { path: '^(evolution|workflows)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'evolution-uses-small-pure-libraries',
      severity: 'error',
      from: { path: '^evolution/' },
      to: {
        dependencyTypes: ['npm', 'npm-dev', 'npm-no-pkg', 'unknown'],
        pathNot: '(^|node_modules/)(zod|yaml|diff(?:/|$)|@lezer/)',
      },
    },
    only('workflows-decide', '^workflows/', 'workflows', 'evolution', 'activities'),
    {
      name: 'workflows-know-activities-by-their-interface',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^activities/', pathNot: '^activities/interface/' },
    },
    {
      name: 'workflows-use-the-sdk-alone',
      severity: 'error',
      from: { path: '^workflows/' },
      to: {
        dependencyTypes: ['npm', 'npm-dev', 'npm-no-pkg', 'unknown'],
        pathNot: '(^|node_modules/)@temporalio/(workflow|common)',
      },
    },
    {
      name: 'workflows-are-given-whole-settings',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^evolution/config/', pathNot: '(run-config|nearest)\\.ts$' },
    },
    only('activities-do', '^activities/', 'activities', 'evolution'),
    only('deploy-stands-alone', '^deploy/(?!kubernetes/)', 'deploy', 'evolution'),
    {
      name: 'deploy-knows-the-levels-and-worlds-of-tasks-alone',
      severity: 'error',
      from: { path: '^deploy/(?!kubernetes/)' },
      to: {
        path: '^evolution/',
        pathNot: '^evolution/(?:config/levels|task/(?:languages|requirements|task-world))\\.ts$',
      },
    },
    only('kubernetes-is-a-package-of-its-own', '^deploy/kubernetes/', 'deploy', 'activities', 'evolution'),
    {
      name: 'nothing-imports-kubernetes',
      severity: 'error',
      from: { pathNot: '^deploy/kubernetes/' },
      to: { path: '^deploy/kubernetes/' },
    },
    only('the-client-starts-no-worker', '^client/', 'client', 'evolution', 'activities', 'workflows', 'deploy'),
    only(
      'the-command-line-parses-and-prints',
      '^cli/',
      'cli',
      'page',
      'client',
      'evolution',
      'activities',
      'workflows',
      'deploy',
    ),
    only('the-page-asks-the-library', '^page/', 'page', 'client', 'evolution', 'activities', 'workflows', 'deploy'),
    {
      name: 'views-know-the-server-by-its-answers',
      severity: 'error',
      from: { path: '^page/view/' },
      to: { path: '^(page/(server|export|bundle)|client|activities|workflows|deploy)' },
    },
    {
      name: 'nothing-imports-tests',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Its parser knows no JSX. What those files import, the lint restricts (.oxlintrc.json). Tests may import all.
    exclude: { path: '\\.tsx$|^deploy/kubernetes/test/' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: { extensions: ['.ts', '.mjs', '.js'], exportsFields: ['exports'] },
  },
};
