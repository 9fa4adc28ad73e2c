// Checks a request for completions or embeddings.

export const MODEL_ID = 'offline-gp';
const MAX_CHOICES = 128;
/** The same limit as OpenAI's. */
const MAX_TEXTS = 2048;
const DEFAULT_DIMENSIONS = 256;
const MAX_DIMENSIONS = 16_384;

export type AskedMessage = { readonly role: string; readonly content: string };

export type CompletionRequest = {
  readonly messages: readonly AskedMessage[];
  /** All message contents in order. The random draws are keyed by this text. */
  readonly promptText: string;
  readonly n: number;
  readonly seed: number;
  /** Null means no limit. */
  readonly maxTokens: number | null;
  readonly stream: boolean;
  readonly includeUsage: boolean;
};

export type EmbeddingsRequest = {
  readonly texts: readonly string[];
  readonly dimensions: number;
  readonly format: 'float' | 'base64';
};

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
  constructor(status: number, message: string, detail: { type?: string; param?: string; code?: string } = {}) {
    super(message);
    this.status = status;
    this.type = detail.type ?? 'invalid_request_error';
    this.param = detail.param ?? null;
    this.code = detail.code ?? null;
  }
  body(): string {
    return JSON.stringify({ error: { message: this.message, type: this.type, param: this.param, code: this.code } });
  }
}

export function readRequest(body: string): CompletionRequest {
  const fields = parseObject(body);
  requireModel(fields);
  const messages = messagesOf(fields['messages']);
  const options = fields['stream_options'];
  return {
    messages,
    promptText: textOf(messages),
    n: integer(fields, 'n', 1, 1, MAX_CHOICES),
    seed: integer(fields, 'seed', 0, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    maxTokens: limit(fields),
    stream: fields['stream'] === true,
    includeUsage:
      typeof options === 'object' && options !== null && 'include_usage' in options && options.include_usage === true,
  };
}

export function readEmbeddingsRequest(body: string): EmbeddingsRequest {
  const fields = parseObject(body);
  requireModel(fields);
  const format = fields['encoding_format'] ?? 'float';
  if (format !== 'float' && format !== 'base64')
    throw new ApiError(400, `encoding_format: "float" or "base64" was expected, not ${shown(format)}`, {
      param: 'encoding_format',
    });
  const input: readonly unknown[] = Array.isArray(fields['input']) ? fields['input'] : [fields['input']];
  const texts = input.filter((text): text is string => typeof text === 'string' && text !== '');
  if (texts.length === 0 || texts.length < input.length || texts.length > MAX_TEXTS) {
    throw new ApiError(
      400,
      `input: a text, or a list of up to ${MAX_TEXTS} texts, none empty, was expected, not ${shown(fields['input'])}`,
      { param: 'input' },
    );
  }
  return { texts, dimensions: integer(fields, 'dimensions', DEFAULT_DIMENSIONS, 1, MAX_DIMENSIONS), format };
}

function requireModel(fields: Readonly<Record<string, unknown>>): void {
  if (typeof fields['model'] !== 'string')
    throw new ApiError(400, `model: a string was expected, not ${shown(fields['model'])}`, { param: 'model' });
  if (fields['model'] !== MODEL_ID)
    throw new ApiError(404, `The model "${fields['model']}" does not exist here; this server has "${MODEL_ID}" only`, {
      param: 'model',
      code: 'model_not_found',
    });
}

function parseObject(body: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    throw new ApiError(400, `The request body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError(400, `The request body must be a JSON object, not ${shown(value)}`);
  return value as Record<string, unknown>;
}

/** All contents in order. */
export function textOf(messages: readonly AskedMessage[]): string {
  return messages.map(({ content }) => content).join('\n');
}

function messagesOf(messages: unknown): readonly AskedMessage[] {
  if (!Array.isArray(messages) || messages.length === 0)
    throw new ApiError(400, `messages: a list with at least one message was expected, not ${shown(messages)}`, {
      param: 'messages',
    });
  return messages.map((message: unknown, at) => {
    const { content, role } = (typeof message === 'object' && message !== null ? message : {}) as {
      readonly content?: unknown;
      readonly role?: unknown;
    };
    const text =
      typeof content === 'string'
        ? content
        : Array.isArray(content)
          ? content
              .map((part: unknown) =>
                typeof part === 'object' && part !== null && 'text' in part ? String(part.text) : '',
              )
              .join('\n')
          : null;
    if (text === null)
      throw new ApiError(
        400,
        `messages[${at}].content: a string or a list of text parts was expected, not ${shown(content)}`,
        { param: `messages[${at}].content` },
      );
    return { role: String(role), content: text };
  });
}

function limit(fields: Readonly<Record<string, unknown>>): number | null {
  const name = fields['max_completion_tokens'] == null ? 'max_tokens' : 'max_completion_tokens';
  return fields[name] == null ? null : integer(fields, name, 1, 1, Number.MAX_SAFE_INTEGER);
}

function integer(
  fields: Readonly<Record<string, unknown>>,
  name: string,
  otherwise: number,
  least: number,
  most: number,
): number {
  const value = fields[name] ?? otherwise;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least || value > most) {
    throw new ApiError(400, `${name}: an integer from ${least} to ${most} was expected, not ${shown(value)}`, {
      param: name,
    });
  }
  return value;
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 80);
}
