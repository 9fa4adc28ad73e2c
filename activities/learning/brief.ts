// Where the learning of a run stands, as its workflow and people are told.
import { trainableOf } from '../../evolution/learning/policies.ts';
import type { LearningBrief } from '../interface/learning.ts';
import type { RunDocument } from '../store/documents.ts';
import type { PolicyDocument } from '../store/learning-documents.ts';

/** `policy` is the one that the run has; `note` says what became of an update that made none. */
export const learningBrief = (
  { config, configVersion, learned = -1 }: Pick<RunDocument, 'config' | 'configVersion' | 'learned'>,
  policy: PolicyDocument | null,
  note?: string,
): LearningBrief => ({
  on: config.learning.on && trainableOf(config) !== null,
  version: configVersion,
  trainer: config.learning.trainer,
  lag: config.learning.lag,
  learned,
  policy: policy === null ? null : { id: policy._id, version: policy.version },
  last: note ?? (policy === null ? null : policyLine(policy)),
});

/** `version 7, of step 6: reward 0.512 (best 1), loss -0.0123, ...` */
export const policyLine = ({ version, step, kind, reward, result }: PolicyDocument): string => {
  const { loss, clipFraction, isClipFraction, mismatch, tokens, seconds } = result;
  if (kind === 'start') return `version ${version}: the model before its first update`;
  return [
    `version ${version}, ${kind === 'supervised' ? 'warmed up on texts' : `of step ${step}`}: ${reward === null ? '' : `reward ${digits(reward.mean)} (best ${digits(reward.max)}), `}loss ${digits(loss)}`,
    ...(kind === 'supervised'
      ? []
      : [
          `clipped ${percent(clipFraction)}`,
          `importance weights cut ${percent(isClipFraction)}`,
          `mismatch ${digits(mismatch)} nats`,
        ]),
    `${tokens} tokens`,
    `${digits(seconds)} s`,
  ].join(', ');
};

const digits = (value: number): string => String(Number(value.toPrecision(3)));
const percent = (share: number): string => `${digits(100 * share)} %`;
