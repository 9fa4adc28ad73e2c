// What task.yaml may say, strictly: unknown keys and wrong types are errors. Used by load-task.ts.
import { z } from 'zod';

const json: z.ZodType = z.json();
const positive = z.number().positive();
const count = z.int().positive();

export const taskSchema = z.strictObject({
  title: z.string().min(1),
  /** Raised whenever the evaluator or the instance changes meaning. */
  version: count,
  kind: z.literal('solution'),
  direction: z.enum(['maximise', 'minimise']),
  entry: z.string().regex(/^[A-Za-z_]\w*$/, 'expected the name of a Python function'),
  scoreName: z.string().regex(/^[a-z][a-z0-9_]*$/, 'expected a name in snake_case'),
  instance: z.record(z.string(), json),
  limits: z.strictObject({ cpuSeconds: positive, wallSeconds: positive, memoryMiB: count, outputMiB: positive.max(64), pids: count }),
  values: z.record(z.string(), z.union([z.number(), z.string()])).default({}),
  prompts: z.array(z.strictObject({ name: z.string().min(1), weight: positive.max(1), file: z.string().min(1) })).min(1),
  picture: z.literal('circles-in-unit-square').nullable().default(null),
  references: z.array(z.strictObject({ name: z.string().min(1), value: z.number(), source: z.string().min(1), strict: z.boolean() })).default([]),
});

export type TaskFile = z.infer<typeof taskSchema>;
