// Fills {placeholders} of a prompt text; `{{` and `}}` stand for braces. Pure; called by load-task.ts.

export type Values = { readonly [name: string]: string };

/** Ten significant digits: three decimals would hide all progress near a record (reference `tasks`, section 8, rule 7). */
export const shown = (value: unknown): string =>
  typeof value === 'number' ? String(Number(value.toPrecision(10))) : typeof value === 'string' ? value : JSON.stringify(value);

/** Throws with the line of the first placeholder that has no value, or of a lone brace. */
export const fillPlaceholders = (text: string, values: Values): string =>
  text.replace(/\{\{|\}\}|\{([A-Za-z_]\w*)\}|[{}]/g, (found: string, name: string | undefined, at: number) => {
    if (found === '{{') return '{';
    if (found === '}}') return '}';
    const value = name !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) return value;
    const line = text.slice(0, at).split('\n').length;
    throw new Error(name === undefined
      ? `${line}: a lone ${found}: write ${found}${found} for a brace`
      : `${line}: unknown placeholder {${name}}: expected one of ${Object.keys(values).join(', ')}`);
  });
