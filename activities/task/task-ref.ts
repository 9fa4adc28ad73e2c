// The reference by which a run's task is loaded: the content kept with the run, or the folder that its settings name,
// and the choices of the settings within it.
import { canonicalJson } from '../../evolution/canonical-json.ts';
import { AS_IT_IS, type Choosing, type TaskChoice, taskChoice } from '../../evolution/task/task-choice.ts';
import type { RunDocument } from '../store/documents/documents.ts';

const KEPT = 'sha256:';

/** Between the task and the choice stands a character that no path has. */
const AND = '\0';

/** The reference of a run's task, as it holds for these settings; the folder where no content is kept. */
export const taskRef = ({
  config,
  taskSnapshot,
}: Pick<RunDocument, 'taskSnapshot'> & { readonly config: Choosing & { readonly task: string } }): string =>
  choosing(taskSnapshot === undefined ? config.task : keptRef(taskSnapshot), taskChoice(config));

export const keptRef = (digest: string): string => `${KEPT}${digest}`;

/** True where the task that a reference names can change. */
export const isKept = (ref: string): boolean => ref.startsWith(KEPT);

/** The digest of a kept task; null where the reference names a folder. */
export const digestIn = (named: string): string | null => (isKept(named) ? named.slice(KEPT.length) : null);

const choosing = (named: string, choice: TaskChoice): string => {
  const { raise: _, ...limits } = choice.limits;
  const limited = Object.values(limits).some((limit) => limit !== null);
  const plain = limited ? choice : { ...choice, limits: AS_IT_IS.limits };
  return canonicalJson(plain) === canonicalJson(AS_IT_IS) ? named : `${named}${AND}${JSON.stringify(choice)}`;
};

export const choiceIn = (ref: string): { readonly named: string; readonly choice: TaskChoice } => {
  const [named, choice] = ref.split(AND) as [string, string?];
  // A step that an earlier version began names fewer choices.
  return { named, choice: choice === undefined ? AS_IT_IS : { ...AS_IT_IS, ...(JSON.parse(choice) as TaskChoice) } };
};
