// Runs of method `research` over the store in memory, with a scripted idea model, judge and program model. For
// research.test.ts.
import { type ChatRequest, ModelError } from '../../../activities/llm/chat/client.ts';
import { promptId } from '../../../evolution/ids.ts';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';
import type { Evaluation } from '../../../evolution/scoring/evaluation.ts';
import type { Task } from '../../../evolution/task/task.ts';
import { shippedTask } from '../domain/shipped-tasks.ts';
import { tokensOf } from './code-world.ts';
import { conducted, edit as block, programsOf, run, textOf } from './conducted.ts';

export { run };

type Asked = {
  readonly role: 'idea' | 'judge' | 'program' | 'initial';
  readonly system: string;
  readonly user: string;
  readonly temperature: number;
};
/** `k`: how often the role was asked before. */
type Answer = (asked: Asked, k: number) => string;
type Script = {
  readonly idea?: Answer;
  readonly judge?: Answer;
  readonly program?: Answer;
  /** The judge's answer on the initial idea. */
  readonly initial?: Answer;
  /** Of the program whose line says `middle_x = 0.<number>`. */
  readonly result?: (number: number) => Partial<Evaluation>;
  readonly direction?: 'maximise' | 'minimise';
  /** The task's own. */
  readonly templates?: Task['templates'];
  /** The task's problem statement; its own when left out. */
  readonly problem?: string;
  /** The endpoint names no tokens. */
  readonly uncounted?: boolean;
};

export const DOWN = (): never => {
  throw new ModelError('connection refused', { status: null, fatal: true, retryAfterMs: null });
};
export const edit = (from: string, to: string): string => `I change a number.\n${block(from, to)}`.trimEnd();
/** Changes the program's number to k + 10. */
const nextNumber: Answer = ({ user }, k) => edit(/^.*middle_x = .*$/m.exec(user)![0], `    middle_x = 0.${k + 10}`);

/** The request about the initial idea. */
const INITIAL = `${promptId(run, 0, 0, 0)}:judge`;

export const research = (script: Script = {}, settings: object = {}) => {
  const asked: Asked[] = [];
  const initially: Asked[] = [];
  const task = async (id: string) => ({
    ...(await shippedTask(id)),
    ...(script.direction === undefined ? {} : { direction: script.direction }),
    ...(script.templates === undefined ? {} : { templates: script.templates }),
    ...(script.problem === undefined ? {} : { problem: script.problem }),
  });
  const chat = (
    key: string,
    messages: readonly { readonly role: string; readonly content: string }[],
    temperature: number,
  ): string => {
    const role = key.endsWith(':idea')
      ? 'idea'
      : key === INITIAL
        ? 'initial'
        : key.endsWith(':judge')
          ? 'judge'
          : 'program';
    const of = (name: string): string =>
      messages
        .filter((message) => message.role === name)
        .map(({ content }) => content)
        .join('\n');
    const one = { role, system: of('system'), user: of('user'), temperature } as const;
    const all = role === 'initial' ? initially : asked;
    const k = all.filter((other) => other.role === role).length;
    all.push(one);
    const {
      idea = () => `Idea ${k}`,
      judge = () => 'Good.\n\\boxed{7.5}',
      program = nextNumber,
      initial = () => 'Known.\n\\boxed{4.5}',
    } = script;
    return { idea, judge, program, initial }[role](one, k);
  };
  const answered = ({ key, messages, temperature, tokens, seed, model }: ChatRequest) => {
    const text = chat(key, messages, temperature);
    // A model that writes nothing has thought all the same.
    const [reasoning, finishReason] = text === '' ? ['hm', 'reasoning'] : [null, 'stop'];
    const sampled = tokens === true ? { sampled: tokensOf(seed) } : {};
    return {
      model,
      usage: script.uncounted === true ? { in: 0, out: 0 } : { in: 100, out: 10 },
      choices: [{ text, reasoning, finishReason, ...sampled }],
    };
  };
  const evaluated: string[] = [];
  const { store, activities, call, step } = conducted({
    loadTask: task,
    chat: answered,
    evaluated: (valid, { code }) => {
      evaluated.push(code);
      const number = Number(/middle_x = 0\.(\d+)/.exec(code)![1]);
      return {
        ...valid,
        metrics: {},
        ...(script.result?.(number) ?? { score: number / 100, strictScore: number / 100 }),
      };
    },
  });
  const { config } = resolveConfig([
    {
      where: () => 'test',
      settings: {
        method: 'research',
        seed: 3,
        limits: { steps: 1_000 },
        model: {
          kind: 'openai',
          baseUrl: 'http://127.0.0.1:1/v1',
          name: 'm',
          roles: ['exploit', 'idea', 'judge'],
          price: { in: 1, out: 1 },
        },
      },
    },
    // The rules of the paper, in its own form, unless a test says otherwise.
    { where: () => 'test', settings: { prompt: { frame: 'paper' }, ideation: { stopAtHuman: true } } },
    { where: () => 'test', settings },
  ]);

  return {
    store,
    activities,
    call,
    step,
    programs: (of = run) => programsOf(store, of, 0),
    asked,
    initially,
    evaluated,
    task,
    config,
    open: () => call(activities.openRun, { run, owner: 'first', config }),
    /** The initial program and so many rounds. */
    play: async (rounds: number) => {
      await call(activities.openRun, { run, owner: 'first', config });
      const summaries = [];
      for (let n = 0; n <= rounds; n++) summaries.push((await step(n))!);
      return summaries;
    },
    text: (ref: string) => textOf(store, ref),
    document: async (of = run) => (await store.readRun(of))!,
  };
};
