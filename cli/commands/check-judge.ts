// evolve check-judge: the accuracy of a judge on reviewed papers that a reward model was not trained on
// (AlphaResearch 2.3.1, Table 2).
import { Option } from 'commander';
import { createOpenAiClient } from '../../activities/llm/chat/openai-client.ts';
import { createKeyRing } from '../../activities/llm/transport/key-ring.ts';
import { judgeQuestion } from '../../activities/stages/judge.ts';
import { readTask } from '../../activities/task/load-task.ts';
import { UsageError } from '../../client/errors.ts';
import { keyFor } from '../../client/keys.ts';
import { checkJudge, readEvalRecords } from '../../client/reward-model.ts';
import { taskFolder } from '../../client/task-folder.ts';
import type { ModelSettings, RunConfig } from '../../evolution/config/run-config.ts';
import { GATE_DEFAULTS } from '../../evolution/ideas/idea.ts';
import { modelsFor } from '../../evolution/models/ensemble.ts';
import { act, describe } from '../flags/command.ts';
import { collect, readText, settingsFrom } from '../flags/settings-flags.ts';
import { json, line, wholeFrom } from '../terminal/output.ts';

type Options = {
  readonly json?: boolean;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly parallel: string;
  readonly task?: string;
  readonly config?: string;
  readonly set?: readonly string[];
};

export const checkJudgeCommand = () =>
  describe('check-judge')
    .argument('<records>', 'rm-eval.jsonl, as `evolve export reward-model` writes it')
    .option('--model <name>', 'the judge (or EVOLVE_MODEL)')
    .option('--base-url <url>', 'its endpoint (or OPENAI_BASE_URL)')
    .option('--config <file>', "settings of a run: its judge, asked as that run's gate asks")
    .addOption(
      new Option(
        '--set <key=value>',
        "another setting than the gate's, e.g. --set model.topP=1 --set model.maxTokens=1000; repeatable",
      ).argParser(collect),
    )
    .option('--parallel <n>', 'requests at a time', '8')
    .option('--task <task>', 'ask as the gate of this task does')
    .action(
      act(async ({ home, env, json: asJson }, { parallel, task, ...flags }: Options, file: string) => {
        const records = readEvalRecords(readText(file, '<records>', 'a file of JSON lines', 'records'), file);
        const { config } = settingsFrom(flags.config === undefined ? alone(flags) : flags, env);
        const model = judgeOf(config, flags.model !== undefined);
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
        const sampling = { ...samplingOf(model), temperature: config.ideation.judgeTemperature };
        const accuracy = await checkJudge(records, {
          client,
          model: model.name,
          timeoutMs,
          sampling,
          question,
          parallel: wholeFrom(parallel, '--parallel', 1),
        });
        const { temperature, topP, maxTokens } = sampling;
        if (asJson)
          return json({
            ...{ model: model.name, baseUrl, sampling: { temperature, topP, maxTokens } },
            ...{ threshold: GATE_DEFAULTS.threshold, ...accuracy },
          });
        line(
          `${model.name} on ${accuracy.count} records of ${file}, temperature ${temperature}, top-p ${topP}, at most ${maxTokens} tokens`,
        );
        line(
          `  accuracy  ${percent(accuracy.accuracy)}: score and rating on the same side of ${GATE_DEFAULTS.threshold}; what has no score counts as wrong`,
        );
        line(`  unparsed  ${accuracy.unparsed}; accuracy without them ${percent(accuracy.accuracyParsed)}`);
        line(`  error     mean ${number(accuracy.mae)}, mean square ${number(accuracy.mse)}, of those with a score`);
      }),
    );

/** The settings of a run whose gate needs no judge, so that the model named by flags or environment can be checked. */
const alone = <F extends Pick<Options, 'set'>>(flags: F) => ({
  ...flags,
  method: 'research',
  set: ['ideation.gate=off', ...(flags.set ?? [])],
});

/** The model that was named, else the first judge of the settings, else their first model. */
const judgeOf = (config: RunConfig, isNamed: boolean): ModelSettings => {
  const [judge] = isNamed ? [] : modelsFor(config, 'judge');
  return judge ?? config.model;
};

/** As the gate samples, but for the temperature, which is a setting of its own. */
const samplingOf = ({ topP, maxTokens, reasoningEffort, stream }: ModelSettings) => ({
  ...{ topP, maxTokens, reasoningEffort, stream },
});

const percent = (share: number | null): string => (share === null ? 'none' : `${(100 * share).toFixed(1)} %`);
const number = (value: number | null): string => (value === null ? 'none' : value.toFixed(3));
