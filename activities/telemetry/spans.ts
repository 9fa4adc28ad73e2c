// Spans below the activity that is under way: a request to a model, a container. Without a tracer the work is done and
// nothing else.

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Where spans go. */
export type Tracer = {
  /** Runs the work in a span below the one that is under way. What it throws ends the span as failed. */
  span<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>;
};

let tracer: Tracer | null = null;

/** From now on this process makes spans there; null ends it. */
export const traceWith = (to: Tracer | null): void => {
  tracer = to;
};

export const spanned = <T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> =>
  tracer === null ? work() : tracer.span(name, attributes, work);
