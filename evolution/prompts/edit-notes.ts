// What went wrong with the blocks of an answer though a program came of it, as the next prompts say it. Called by the styles that show feedback.

export type EditNote = { readonly block: number; readonly reason: string };

/** One line a block; empty where nothing went wrong. */
export const editNotes = (edits: readonly EditNote[]): string => edits.map(({ block, reason }) => `block ${block} of the answer that made it: ${reason}`).join('\n');
