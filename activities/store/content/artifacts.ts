// The artifacts of an evaluation with their texts, read from the store.
import { type Artifact, artifactsText, isPicture } from '../../../evolution/scoring/artifacts.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import type { Task } from '../../../evolution/task/task.ts';
import type { EvaluationDocument, StoredArtifact } from '../documents/step-documents.ts';
import type { ContentStore } from './content-store.ts';

export const readArtifacts = async (
  store: Pick<ContentStore, 'getTexts'>,
  artifacts: readonly StoredArtifact[],
): Promise<readonly Artifact[]> => {
  const texts = await store.getTexts(artifacts.map(({ text }) => text));
  return artifacts.map(({ name, kind, text }) => ({ name, kind, text: texts.get(text) ?? '' }));
};

/** What requests show of them, by the key of each evaluation. What an evaluator shows of data that are drawn is for no model. */
export const artifactsForModels = async (
  store: Pick<ContentStore, 'getTexts'>,
  { task, prompt }: { readonly task: Pick<Task, 'data'>; readonly prompt: RunConfig['prompt'] },
  evaluations: readonly EvaluationDocument[],
): Promise<ReadonlyMap<string, string>> => {
  const shown = task.data === 'drawn' || prompt.feedback !== 'full' ? 0 : (prompt.artifacts ?? 0);
  if (shown === 0) return new Map();
  const stored = evaluations.flatMap(({ artifacts = [] }) => artifacts.filter((one) => !isPicture(one)));
  const texts = stored.length === 0 ? new Map<string, string>() : await store.getTexts(stored.map(({ text }) => text));
  const textOf = (one: StoredArtifact): Artifact => ({ ...one, text: texts.get(one.text) ?? '' });
  return new Map(
    evaluations.flatMap(({ _id, artifacts = [] }) =>
      artifacts.length === 0 ? [] : [[_id, artifactsText(artifacts.map(textOf), shown)]],
    ),
  );
};
