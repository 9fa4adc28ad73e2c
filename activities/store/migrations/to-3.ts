// From what 0.2.0 to 0.7.0 store to what 0.8.0 stores: the same fields, and each document says its schema (schema.ts).
import type { Migration } from './migration.ts';

export const TO_3: Migration = {};
