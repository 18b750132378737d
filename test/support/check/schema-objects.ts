import { z } from 'zod';

/** An object inside a schema; an array's element is `0` in its path. */
export type SchemaObject = { path: readonly string[]; object: z.ZodObject };

/** Returns every object of a schema that has declared fields, the outermost first. Maps with the caller's own keys have none. */
export function objectsOf(schema: unknown, path: readonly string[] = []): SchemaObject[] {
  if (schema instanceof z.ZodObject) {
    const inner = Object.entries(schema.shape).flatMap(([name, field]) => objectsOf(field, [...path, name]));
    return [{ path, object: schema }, ...inner];
  }
  if (schema instanceof z.ZodArray) return objectsOf(schema.element, [...path, '0']);
  if (schema instanceof z.ZodPipe) return [...objectsOf(schema.in, path), ...objectsOf(schema.out, path)];
  const wrappers = [z.ZodOptional, z.ZodExactOptional, z.ZodDefault, z.ZodNullable];
  for (const wrapper of wrappers) if (schema instanceof wrapper) return objectsOf(schema.unwrap(), path);
  return [];
}
