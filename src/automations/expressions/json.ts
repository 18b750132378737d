import { Optional } from '@marcbachmann/cel-js';
import { isPlainObject } from './constructor-keys.ts';

/**
 * The JSON value of what an expression gave: whole numbers of CEL become numbers, or bigints where a double cannot hold them, times
 * RFC 3339 texts, durations seconds (`90s`), and an optional its value or null. Throws an Error for what JSON has no form for.
 */
export function toJson(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Error('is not a finite number');
    return value;
  }
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, member]) => [String(key), toJson(member)]));
  if (isPlainObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toJson(member)]));
  if (value instanceof Optional) return value.hasValue() ? toJson(value.value()) : null;
  // A duration, whose class the library keeps to itself: its value is in ms.
  if ('nanos' in value) return `${Number(value.valueOf()) / 1_000}s`;
  throw new Error('is a type and no value');
}
