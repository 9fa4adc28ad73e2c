// Messages between our own parts: their types say their form, and one number says its version. A message with another
// number was typed by hand, or comes of other code.

export const FORM = 1;

export type Internal<Body> = Body & { readonly form: number };

export const internal = <Body extends object>(body: Body): Internal<Body> => ({ ...body, form: FORM });
