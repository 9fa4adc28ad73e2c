// evolve show: one program with all that led to it: parents, prompt, the model's answer, checks, evaluation, code.
import type { Store } from '../../activities/store/store.ts';
import { promptId } from '../../evolution/ids.ts';
import { act, describe } from '../command.ts';
import { UsageError } from '../library/errors.ts';
import { isSuperseded } from '../library/steps.ts';
import { withStore } from '../open.ts';
import { json, line, score } from '../output.ts';
import { readProgram, type ProgramTexts } from '../solution.ts';

type Options = { readonly json?: boolean; readonly prompt?: boolean; readonly response?: boolean };

export const showCommand = () => describe('show', 'show one program with its parents, answer, checks and evaluation')
  .argument('<program>', 'id of the program, as `evolve programs` prints it')
  .option('--prompt', 'with the prompt').option('--response', 'with the model\'s whole answer')
  .action(act(async (context, options: Options, id: string) => withStore(context, async (store) => {
    const found = await readProgram(store, id);
    if (found === null) throw new UsageError(`there is no program "${id}": \`npx evolve programs <run>\` lists them (a program appears when its step is committed)`);
    const origin = await readOrigin(store, found);
    const superseded = await isSuperseded(store, found.program);
    if (context.json) return json({ ...found.program, superseded, evaluationResult: found.evaluation, delta: origin.delta, shownBeside: origin.shown, code: found.code, solution: found.solution, ...origin.texts });
    for (const text of lines(found, origin, superseded, options)) line(text);
  })));

type Origin = {
  readonly delta: { readonly reason: string | null; readonly blocks: number; readonly unmatched: readonly { readonly block: number; readonly reason: string }[] } | null;
  readonly model: string | null; readonly finishReason: string | null;
  readonly shown: readonly { readonly id: string; readonly role: string }[];
  readonly texts: { readonly system: string | null; readonly user: string | null; readonly response: string | null; readonly reasoning: string | null };
};

const readOrigin = async (store: Store, { program }: ProgramTexts): Promise<Origin> => {
  const id = program._id;
  const rollout = (await store.getRollouts([id])).get(id) ?? null;
  const delta = (await store.getDeltas([id])).get(id) ?? null;
  const prompt = rollout === null ? null : (await store.getPrompts([promptId(program.run, program.step, program.epoch, rollout.group)])).values().next().value ?? null;
  const refs = [prompt?.system, prompt?.user, rollout?.response, rollout?.reasoning].map((ref) => ref ?? null);
  const texts = await store.getTexts(refs.filter((ref) => ref !== null));
  const [system, user, response, reasoning] = refs.map((ref) => (ref === null ? null : texts.get(ref) ?? null));
  return {
    delta, model: rollout?.model ?? null, finishReason: rollout?.finishReason ?? null,
    shown: prompt === null ? [] : [...prompt.priorPrograms.map((id) => ({ id, role: 'prior' })), ...prompt.context ?? []],
    texts: { system: system ?? null, user: user ?? null, response: response ?? null, reasoning: reasoning ?? null },
  };
};

const lines = ({ program, evaluation, code }: ProgramTexts, { delta, model, finishReason, shown, texts }: Origin, superseded: boolean, options: Options): readonly string[] => [
  `program   ${program._id}`,
  ...(superseded ? [`state     superseded: a rewind or a reset gave up step ${program.step} of generation ${program.generation}; it is in no population`] : []),
  `outcome   ${program.outcome}, score ${score(program.score)}, strict ${score(program.strictScore)}, reward ${program.reward}`,
  `from      ${program.parents.join(', ') || (program.step === 0 ? 'the task (initial program)' : program.founder ? 'the initial program (a founder)' : 'a person (injected)')}, island ${program.island}, step ${program.step}, slot ${program.slot}`,
  ...(program.sameAs ? [`same as   ${program.sameAs} (an earlier slot of this step)`] : []),
  ...(model === null ? [] : [`answer    ${model}, finish reason ${finishReason ?? 'none'}, ${delta?.blocks ?? 0} edit blocks`]),
  ...shown.map(({ id, role }) => `beside    ${id} (${role})`),
  ...(program.change ? [`change    ${program.change.label} (delta ${program.change.status}): ${program.change.summary.from === '' ? '' : `FROM ${program.change.summary.from} `}TO ${program.change.summary.to}`] : []),
  ...(program.lines ? [`lines     ${program.lines.added} added, ${program.lines.reintroduced} of them back after an ancestor had deleted them`] : []),
  ...(delta?.unmatched ?? []).map(({ block, reason }) => `          block ${block} not applied: ${reason}`),
  ...program.reasons.map((reason) => `reason    ${reason}`),
  ...(evaluation === null ? [] : [
    `ran       ${evaluation.execution} in ${evaluation.isolation}, exit ${evaluation.exitCode ?? 'none'}, wall ${evaluation.wallMs} ms, CPU ${evaluation.cpuMs ?? '?'} ms`,
    `metrics   ${Object.entries(evaluation.metrics).map(([name, value]) => `${name} ${value}`).join(', ') || 'none'}`,
    ...(evaluation.stderrTail.trim() === '' ? [] : ['stderr', ...evaluation.stderrTail.trimEnd().split('\n').slice(-12).map((text) => `          ${text}`)]),
  ]),
  ...(options.prompt ? ['', '--- prompt: system', texts.system ?? 'none', '--- prompt: user', texts.user ?? 'none'] : []),
  ...(options.response ? ['', '--- answer', texts.response ?? 'none'] : []),
  '', '--- code', (code ?? 'none').trimEnd(),
];
