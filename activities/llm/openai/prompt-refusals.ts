// How often an endpoint refuses prompts for their content. One refused prompt is the outcome of its group; where most
// are refused, nothing comes of a run, and a person should look.

const WINDOW = 16;
const TOO_MANY = WINDOW / 2;

/** The last prompts by model, each with the words of its refusal, or null where it was answered. */
export class PromptRefusals {
  readonly #last = new Map<string, readonly (string | null)[]>();

  note(model: string, refusal: string | null): void {
    this.#last.set(model, [...(this.#last.get(model) ?? []), refusal].slice(-WINDOW));
  }

  /** What to tell a person before the next prompt is sent; null where most are answered. Then it counts anew. */
  take(model: string): string | null {
    const last = this.#last.get(model) ?? [];
    const refused = last.filter((refusal) => refusal !== null);
    if (refused.length < TOO_MANY) return null;
    this.#last.delete(model);
    return `refused ${refused.length} of the last ${last.length} prompts to ${model} for their content (${refused.at(-1)}): change the words of the task, or ask another model, and run \`evolve retry <run>\``;
  }
}
