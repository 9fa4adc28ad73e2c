// What the dashboard and the alert rules ask Prometheus for, and what an answer at /metrics has of it.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const read = (name: string): string =>
  readFileSync(new URL(`../../../deploy/grafana/${name}`, import.meta.url), 'utf8');

type Panel = {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
};
export type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
};

export const dashboard = JSON.parse(read('dashboard.json')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] };
};
export const alerts = (parse(read('alerts.yaml')) as { groups: { name: string; rules: readonly Rule[] }[] }).groups;

/** An expression with the labels that texts beside it put in. */
type Question = { readonly where: string; readonly expr: string; readonly told: readonly string[] };

const inBraces = (text: string, form: RegExp): readonly string[] => [...text.matchAll(form)].map(([, name]) => name!);

export const questions: readonly Question[] = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({
      where: `panel ${title}`,
      expr,
      told: inBraces(legendFormat, /\{\{(\w+)\}\}/g),
    })),
  ),
  ...alerts.flatMap(({ rules }) =>
    rules.map(({ alert, expr, annotations }) => ({
      where: `alert ${alert}`,
      expr,
      told: inBraces(Object.values(annotations).join(' '), /\$labels\.(\w+)/g),
    })),
  ),
];

/** By name of a series, its labels. */
export type Series = ReadonlyMap<string, ReadonlySet<string>>;

export const seriesIn = (text: string): Series => {
  const series = new Map<string, Set<string>>();
  for (const [, name, labels = ''] of text.matchAll(/^([a-z_]\w*)(\{.*\})? \S+$/gim)) {
    const known = series.get(name!) ?? new Set();
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label!);
    series.set(name!, known);
  }
  return series;
};

/** Prometheus itself puts these on every series. */
const OF_PROMETHEUS = ['instance', 'job'];

/** Metrics that the learner counts itself, in Python. */
export const OF_LEARNER = 'evolve_training_';

/** What of the questions about metrics with this beginning is not in the answer; the learner's only where they are asked for. */
export const lacking = (beginning: string, series: Series): readonly string[] =>
  questions.flatMap(({ where, expr, told }) => {
    const asked = [...expr.matchAll(/\b([a-z_]\w*)(\{[^}]*\})?/g)].filter(
      ([, name]) => name!.startsWith(beginning) && name!.startsWith(OF_LEARNER) === (beginning === OF_LEARNER),
    );
    const grouped = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, names]) =>
      names!.split(/,\s*/).filter(Boolean),
    );
    return asked.flatMap(([, name, matchers = '']) => {
      const labels = series.get(name!);
      if (labels === undefined) return [`${where}: no series ${name}`];
      const own = [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!);
      return [...new Set([...own, ...grouped, ...told])]
        .filter((label) => !labels.has(label) && !OF_PROMETHEUS.includes(label))
        .map((label) => `${where}: ${name} has no label ${label}`);
    });
  });
