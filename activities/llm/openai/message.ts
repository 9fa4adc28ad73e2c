// The text, the reasoning and the calls of a message or of what a stream adds to one, in each form that servers and
// gateways document (docs/shapes.md).
import { fieldsOf } from '../transport/numbers.ts';

/** Null where the message has none. */
export type Parts = {
  readonly content: string | null;
  readonly refusal: string | null;
  readonly reasoning: string | null;
  readonly calledTool: boolean;
};

/** Fields that hold reasoning apart from the content. Servers that fill several repeat themselves. */
const REASONING = [
  'reasoning_content',
  'reasoning',
  'reasoning_text',
  'thinking',
  'reasoning_details',
  'thinking_blocks',
];

/** Of a choice in an answer or in an event. Completions of texts have no message. */
export const partsOf = (choice: Readonly<Record<string, unknown>>): Parts => {
  const message = fieldsOf(choice['delta'] ?? choice['message']);
  const content = new Content();
  content.add(message['content'] ?? choice['text']);
  const apart = REASONING.map((name) => reasoningIn(message[name])).find((text) => text !== null) ?? null;
  const { text, refusal, reasoning } = content;
  return {
    content: text,
    refusal: joined(textOf(message['refusal']), refusal),
    reasoning: joined(apart, reasoning),
    calledTool: hasCalls(message['tool_calls']) || typeof message['function_call'] === 'object',
  };
};

export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const joined = (a: string | null, b: string | null): string | null => (a === null ? b : b === null ? a : a + b);

const hasCalls = (calls: unknown): boolean => Array.isArray(calls) && calls.length > 0;

/** A text, a part, or a list of both. */
class Content {
  text: string | null = null;
  refusal: string | null = null;
  reasoning: string | null = null;

  add(value: unknown): void {
    if (Array.isArray(value)) for (const one of value) this.add(one);
    else if (typeof value === 'string') this.text = joined(this.text, value);
    else if (typeof value === 'object' && value !== null) this.#addPart(value as Readonly<Record<string, unknown>>);
  }

  #addPart(part: Readonly<Record<string, unknown>>): void {
    const type = textOf(part['type']) ?? '';
    if (/think|reason|thought/.test(type) || part['thought'] === true)
      this.reasoning = joined(this.reasoning, reasoningIn(part));
    else if (type === 'refusal') this.refusal = joined(this.refusal, textOf(part['refusal']));
    else this.text = joined(this.text, textOf(part['text']) ?? textOf(fieldsOf(part['text'])['value']));
  }
}

const reasoningIn = (value: unknown): string | null => {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(reasoningIn).reduce(joined, null);
  const { thinking, text, reasoning, summary, content } = fieldsOf(value);
  const inner = thinking ?? text ?? reasoning ?? summary ?? content;
  return inner === undefined ? null : reasoningIn(inner);
};
