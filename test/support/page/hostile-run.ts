// A recorded run in which every text that a model, a candidate or a person wrote is an attack on a page, or on whoever
// reads it: markup that would run, the end of a script, commands for terminals, letters that turn the direction of
// writing, and lines of a megabyte.
import type { Documents } from './recorded.ts';
import { recordedDocuments } from './recorded.ts';

/** What a page must show as text. Anything that runs sets `attacked`, or asks for an address at attacker.example. */
const ATTACKS: readonly string[] = [
  '<script>globalThis.attacked = 1</script>',
  '</script><script>globalThis.attacked = 2</script>',
  '</style><img src=x onerror="globalThis.attacked = 3">',
  '"><svg onload="globalThis.attacked = 4">',
  "' onmouseover='globalThis.attacked = 5",
  '<iframe src="https://attacker.example/frame"></iframe>',
  '<a href="javascript:globalThis.attacked = 6">click</a>',
  '![image](https://attacker.example/image.png) [link](javascript:globalThis.attacked=7)',
  '<!--<script>',
  ']]><![CDATA[',
  '\u001b[2J\u001b]0;title\u0007\u001b]52;c;YXR0YWNrZWQ=\u0007',
  '\u202eesrever\u202c \u2066isolate\u2069 \u200bzero\u200dwidth\ufeff',
  '\u0000\u0001\u0008\u000b\u000c\u007f\u0085\u009b31m',
  'half a character: \ud800 and \udfff',
  '{{constructor.constructor("globalThis.attacked = 8")()}} ${globalThis.attacked = 9}',
  '__proto__',
];
const LONG_LINE = `${'x'.repeat(1 << 20)}${ATTACKS[0]}`;

/** Fields that hold what others wrote, at any depth of a document. */
const WRITTEN: ReadonlySet<string> = new Set([
  ...['reasons', 'reason', 'summary', 'from', 'to', 'component', 'oldLogic', 'newLogic', 'hypothesis'],
  ...['stdoutTail', 'stderrTail', 'statusReason', 'stopReason', 'returned', 'finishReason', 'model', 'asked'],
]);
/** They are data of ours under such a name. */
const KEPT: readonly string[] = ['slots', 'config', 'population', 'totals'];

/** Steps that are kept; a run of a few steps shows every view. */
const STEPS = 4;

export const hostileDocuments = (): Documents => {
  let next = 0;
  const attack = (): string => ATTACKS[next++ % ATTACKS.length]!;
  const poisoned = (value: unknown, written: boolean): unknown => {
    if (typeof value === 'string') return written ? `${attack()} ${attack()}` : value;
    if (Array.isArray(value)) return value.map((one) => poisoned(one, written));
    if (value === null || typeof value !== 'object' || value instanceof Date || ArrayBuffer.isView(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        KEPT.includes(key) ? inner : poisoned(inner, written || WRITTEN.has(key)),
      ]),
    );
  };
  const documents: Documents = new Map();
  for (const [name, rows] of recordedDocuments()) {
    const few = rows.filter(({ step }) => typeof step !== 'number' || step <= STEPS);
    const isOurs = name === 'blobs' || name === 'tasks';
    documents.set(name, isOurs ? few : few.map((row) => poisoned(row, false) as (typeof few)[0]));
  }
  // Names of metrics are an evaluator's; some are what every object has.
  for (const row of documents.get('evaluations')!)
    row['metrics'] = Object.fromEntries([
      ...Object.entries(row['metrics'] as object),
      ...['__proto__', 'constructor', 'toString', ATTACKS[0]!].map((name, index) => [name, index] as const),
    ]);
  const [run] = documents.get('runs') as [Record<string, any>];
  const last = documents.get('steps')!.find(({ step }) => step === STEPS) as Record<string, any>;
  Object.assign(run, {
    committedStep: STEPS,
    totals: last['totals'],
    best: last['best'],
    population: last['population'],
  });
  run['fingerprint'] = last['fingerprint'];
  run['statusReason'] = attack();
  run['stopReason'] = attack();
  run['config'] = { ...run['config'], model: { ...run['config'].model, name: ATTACKS[2] } };
  // Texts keep the addresses under which documents know them. Change sets and files of the task stay what they are.
  const own = new Set<unknown>([
    ...documents.get('steps')!.map(({ changeSet }) => changeSet),
    ...documents.get('tasks')!.flatMap(({ files }) => (files as { blob: string }[]).map(({ blob }) => blob)),
    ...documents.get('evaluations')!.map(({ solution }) => solution),
  ]);
  const wanted = new Set(
    JSON.stringify([...documents].filter(([name]) => name !== 'blobs')).match(/\b[0-9a-f]{64}\b/g),
  );
  documents.set(
    'blobs',
    documents
      .get('blobs')!
      .filter(({ _id }) => wanted.has(_id as string))
      .map(({ _id, text }, index) => ({
        _id,
        text: own.has(_id) ? text : index % 97 === 0 ? LONG_LINE : `${attack()}\n${String(text)}\n${attack()}`,
      })),
  );
  return documents;
};
