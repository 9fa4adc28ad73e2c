// The current details in the Temporal UI have a table of what people can do: each thing as a command and as the message
// that says the same.
export type Action = {
  readonly to: string;
  /** Without `npx evolve`. */
  readonly command: string;
  readonly message: string;
};

/** Texts in a body hold none of the signs that are spaced here. */
const inOneLine = (body: object): string =>
  `\`${JSON.stringify(body).replaceAll('":', '": ').replaceAll(',"', ', "')}\``;

export const signal = (to: string, command: string, name: string, body: object, whom = ''): Action => ({
  to,
  command,
  message: `signal \`${name}\` with ${inOneLine(body)}${whom}`,
});

export const update = (to: string, command: string, name: string, body: object, whom = ''): Action => ({
  to,
  command,
  message: `update \`${name}\` with ${inOneLine(body)}${whom}`,
});

/** The input of the UI's *Start Workflow*. */
export const start = (to: string, command: string, input: object): Action => ({
  to,
  command,
  message: inOneLine(input),
});

export const actionTable = (messages: string, actions: readonly Action[]): readonly string[] => [
  `| to | command | ${messages} |`,
  '| --- | --- | --- |',
  ...actions.map(({ to, command, message }) => `| ${to} | \`npx evolve ${command}\` | ${message} |`),
];
