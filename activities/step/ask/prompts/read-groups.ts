// Reads from the store what every style shows of a group: its parent with its results, the attempts on it, the lines
// that came back, and the programs beside it.
import type { DiffSettings } from '../../../../evolution/config/run-config.ts';
import type { Contents } from '../../../../evolution/prompts/parts/contents.ts';
import type { CardProgram } from '../../../../evolution/prompts/parts/program-card.ts';
import type { Tried } from '../../../../evolution/prompts/parts/tried.ts';
import type { ProgramId } from '../../../../evolution/types.ts';
import { deltaIdOf } from '../../../store/content/mended.ts';
import type { GroupPlan } from '../../../store/documents/step-documents.ts';
import {
  hintsFor,
  insteadOf,
  patchSettings,
  resultOf,
  type Shown,
  shownIn,
  showPrograms,
  stated,
  type StyleInput,
  type ToCompose,
  withArtifacts,
} from './style.ts';
import { triedOn } from './tried.ts';

export type GroupRead = {
  readonly group: ToCompose;
  readonly plan: GroupPlan;
  readonly parent: Shown & Pick<CardProgram, 'exitCode' | 'error' | 'edits'>;
  readonly contents: Required<Omit<Contents, 'frame'>> & { readonly settings: DiffSettings };
};

/** `beside` names the programs that the prompts show; left out, they are those of the plans. */
export const readGroups = async (
  input: Omit<StyleInput, 'onDisclosed'>,
  beside: (plans: readonly GroupPlan[]) => readonly ProgramId[] = shownIn,
): Promise<{ readonly shown: ReadonlyMap<ProgramId, Shown>; readonly groups: readonly GroupRead[] }> => {
  const { store, task, config } = input;
  const plans = input.groups.map(({ plan }) => plan);
  const parents = [...new Set(plans.map(({ parent }) => parent))];
  const crossed = plans.flatMap(({ patch }) => patch?.with ?? []);
  const shown = await showPrograms(store, task, [...parents, ...beside(plans), ...crossed], config.prompt);
  const changed = await withArtifacts(
    store,
    input,
    parents.map((id) => shown.get(id)!),
  );
  const tried = await triedOn(input, plans);
  const deltas = config.prompt.reintroduced
    ? await store.getDeltas(parents.map((id) => deltaIdOf(shown.get(id)!.program)))
    : new Map<ProgramId, never>();
  const recommended = await store.getTexts(plans.flatMap((plan) => plan.recommended ?? []));
  const groups = input.groups.map((group, index): GroupRead => {
    const { plan, idea } = group;
    const parent = changed[parents.indexOf(plan.parent)]!;
    const { scores, feedback, maxTokens, draw } = config.prompt;
    return {
      group,
      plan,
      parent: { ...parent, ...resultOf(parent, config.prompt.frame) },
      contents: {
        task,
        stated: stated(task, plan, config, insteadOf(task, config, group)),
        tried: framed(tried[index] ?? null, idea),
        reintroduced: deltas.get(deltaIdOf(parent.program))?.lines?.returned ?? [],
        idea,
        hints: [
          ...hintsFor(config, plan),
          ...(plan.recommended === undefined ? [] : [{ recommended: recommended.get(plan.recommended) ?? '' }]),
        ],
        settings: patchSettings(config, plan, (id) => shown.get(id)?.code ?? ''),
        ...{ scores, feedback, maxTokens, draw },
      },
    };
  });
  return { shown, groups };
};

/** A request that carries an idea out needs no angle of its own, and no dead ends of other ideas. */
const framed = (tried: Tried | null, idea: string | null): Tried | null =>
  tried === null || idea === null ? tried : { ...tried, alike: null, elsewhere: [] };
