// What a folder of another system needs that an evaluator here has not, in a sentence each. Imports are certain; the rest
// are hints, which explain a failure.
import { importsOf } from '../../../activities/task/undeclared-imports.ts';
import { languageOfFile } from '../../../evolution/task/languages.ts';
import type { LonePeer, PeerFiles, PeerTask } from './formats.ts';

const MODEL = 'a model: evaluator: {network: model} lets it ask one';
const NETWORK = 'a network, which an evaluator has not';
/** By the module that wants it. */
const MODULES: { readonly [module: string]: string } = {
  ...Object.fromEntries(
    'openai anthropic dspy litellm langchain langchain_core'.split(' ').map((name) => [name, MODEL]),
  ),
  triton: 'a GPU (needs: { gpu: 1 })',
  shared_eval: 'a file of that name, which is outside of the folder, and a GPU',
  mlx: 'an Apple GPU, which no host here has',
  torch: 'packages of 3 GB: name an image that has them (image:)',
  datasets: `data of Hugging Face: ${NETWORK}`,
  huggingface_hub: `data of Hugging Face: ${NETWORK}`,
  ale_bench: 'a judge that starts containers',
};
/** What no task can have without an image of its own, by the ending of the program. */
const TOOLS: { readonly [ending: string]: string } = { jl: 'julia', sv: 'iverilog', wl: 'wolframscript' };
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/\bfrom openai import\b|\bLLMClient\b/, `needs ${MODEL}`],
  [/\bload_dataset\(|Hugging ?Face/, `needs data of Hugging Face: ${NETWORK}`],
  [/(?:^|\n)download_\w+\.(?:sh|py)(?:\n|$)/, 'needs the data that its download script fetches: run it first'],
  [/\bAlgoTune\b/, 'needs the repository AlgoTune beside it'],
  [/\bfrontier_cs\b/, 'needs the package frontier_cs and its judge, a server'],
  [/\bdataset=\w/, 'needs the data set that its main() loads: here an evaluator gets the program alone'],
  [/["']mlir-opt["']/, 'needs mlir-opt: name an image that has it (image:)'],
  [/\.kattisrc\b|\bsubmit\.py\b/, `needs an account of Kattis and ${NETWORK}`],
  [/\barc-agi_/, 'needs the data of ARC'],
  [/\nCargo\.lock\n/, 'needs the crates of its Cargo.lock: name an image that has them (image:)'],
];

export const needsOf = ({ names }: PeerFiles, { program }: PeerTask | LonePeer, source: string): readonly string[] => {
  const imported = [...new Set(importsOf('', source).map(({ module }) => module))];
  const ending = program?.split('.').at(-1)?.toLowerCase() ?? 'py';
  const own = new Set(names.map((name) => name.split('/').at(-1)!.replace(/\.py$/, '')));
  return [
    ...imported.flatMap((module) =>
      Object.hasOwn(MODULES, module) && !own.has(module) ? [`${module} needs ${MODULES[module]}`] : [],
    ),
    ...(Object.hasOwn(TOOLS, ending)
      ? [`${program} needs ${TOOLS[ending]}: name an image that has it (image:)`]
      : [undefined, 'text'].includes(languageOfFile(ending))
        ? [`${program} is no program, and what scores it needs ${MODEL}`]
        : []),
  ];
};

/** `folder` is the name of the folder, which the evaluators of LLM4AD import their own files by. */
export const hintsOf = (names: readonly string[], source: string, folder: string): readonly string[] => {
  const outside = [...source.matchAll(/^[ \t]*from (llm4ad\.task\.[\w.]+)\.\w+ import/gm)]
    .map((match) => match[1]!)
    .find((module) => !module.endsWith(`.${folder}`));
  const text = `${source}\n${names.map((name) => name.split('/').at(-1)).join('\n')}\n`;
  return [
    ...HINTS.flatMap(([sign, need]) => (sign.test(text) ? [need] : [])),
    ...(outside === undefined ? [] : [`needs ${outside}, which is outside of the folder`]),
  ];
};
