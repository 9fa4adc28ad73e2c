// evolve check-judge: the accuracy of a judge on reviewed papers that a reward model was not trained on
// (AlphaResearch 2.3.1, Table 2).
import { createOpenAiClient } from '../../activities/llm/chat/openai-client.ts';
import { createKeyRing } from '../../activities/llm/transport/key-ring.ts';
import { judgeQuestion } from '../../activities/stages/judge.ts';
import { readTask } from '../../activities/task/load-task.ts';
import { UsageError } from '../../client/errors.ts';
import { keyFor } from '../../client/keys.ts';
import { checkJudge, readEvalRecords } from '../../client/reward-model.ts';
import { taskFolder } from '../../client/task-folder.ts';
import { GATE_DEFAULTS } from '../../evolution/ideas/idea.ts';
import { act, describe } from '../flags/command.ts';
import { readText, settingsFrom } from '../flags/settings-flags.ts';
import { json, line, wholeFrom } from '../terminal/output.ts';

type Options = {
  readonly json?: boolean;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly parallel: string;
  readonly task?: string;
};

export const checkJudgeCommand = () =>
  describe('check-judge')
    .argument('<records>', 'rm-eval.jsonl, as `evolve export reward-model` writes it')
    .option('--model <name>', 'the judge (or EVOLVE_MODEL)')
    .option('--base-url <url>', 'its endpoint (or OPENAI_BASE_URL)')
    .option('--parallel <n>', 'requests at a time', '8')
    .option('--task <task>', 'ask as the gate of this task does')
    .action(
      act(async ({ home, env, json: asJson }, { model: name, baseUrl: url, parallel, task }: Options, file: string) => {
        const records = readEvalRecords(readText(file, '<records>', 'a file of JSON lines', 'records'), file);
        const { model } = settingsFrom(
          { ...(name === undefined ? {} : { model: name }), ...(url === undefined ? {} : { baseUrl: url }) },
          env,
        ).config;
        const { baseUrl } = model;
        if (model.kind === 'offline' || baseUrl === null)
          throw new UsageError(
            '--model: expected a judge at an endpoint, got the offline model, which judges nothing: give --model and --base-url, or set EVOLVE_MODEL and OPENAI_BASE_URL',
          );
        const question = judgeQuestion(
          task === undefined
            ? null
            : await taskFolder(task)
                .then((folder) => readTask(folder))
                .catch((error: Error) => {
                  throw new UsageError(`--task: ${error.message}`);
                }),
        );
        const timeoutMs = model.timeoutSeconds * 1000;
        const keys = createKeyRing({ home: home.root, env });
        const client = createOpenAiClient({
          baseUrl,
          apiKey: keyFor(home.root, baseUrl, [model], env),
          timeoutMs,
          keys,
        });
        const accuracy = await checkJudge(records, {
          client,
          model: model.name,
          timeoutMs,
          question,
          parallel: wholeFrom(parallel, '--parallel', 1),
        });
        if (asJson) return json({ model: model.name, baseUrl, threshold: GATE_DEFAULTS.threshold, ...accuracy });
        line(`${model.name} on ${accuracy.count} records of ${file}, temperature 0`);
        line(
          `  accuracy  ${percent(accuracy.accuracy)}: score and rating on the same side of ${GATE_DEFAULTS.threshold}; what has no score counts as wrong`,
        );
        line(`  unparsed  ${accuracy.unparsed}; accuracy without them ${percent(accuracy.accuracyParsed)}`);
        line(`  error     mean ${number(accuracy.mae)}, mean square ${number(accuracy.mse)}, of those with a score`);
      }),
    );

const percent = (share: number | null): string => (share === null ? 'none' : `${(100 * share).toFixed(1)} %`);
const number = (value: number | null): string => (value === null ? 'none' : value.toFixed(3));
