import type { Attempt } from '../api/client.ts';
import { excerpts } from './excerpts.ts';

/** A part of an attempt. `name` is the header, if the part is one. */
type Part = {
  kind: 'outcome' | 'error' | 'status' | 'body' | 'answerHeader' | 'url' | 'requestVersion' | 'requestHeader';
  name?: string;
};
export type Difference = Part & { before: string | undefined; after: string | undefined };

// Headers that differ in every attempt do not explain why one of them failed.
const ALWAYS_OTHERS = new Set(['webhook-timestamp', 'webhook-signature', 'traceparent', 'date']);

/** Returns all parts that differ between two attempts. Times are left out because they always differ. */
export function differences(before: Attempt, after: Attempt): Difference[] {
  const [old, now] = [partsOf(before), partsOf(after)];
  return [...new Map([...old, ...now].map(([key, { part }]) => [key, part]))].flatMap(([key, part]) => {
    const [was, is] = [old.get(key)?.value, now.get(key)?.value];
    return was === is ? [] : [{ ...part, ...excerpts(was, is) }];
  });
}

function partsOf({ outcome, errorClass, errorMessage, response, request }: Attempt) {
  const parts = new Map<string, { part: Part; value: string }>();
  const add = (part: Part, value: string | undefined): void => {
    if (value !== undefined) parts.set(`${part.kind} ${part.name ?? ''}`, { part, value });
  };
  add({ kind: 'outcome' }, outcome);
  add({ kind: 'error' }, errorClass === 'status' ? undefined : errorMessage);
  add({ kind: 'status' }, response && String(response.status));
  add({ kind: 'url' }, request?.url);
  add({ kind: 'requestVersion' }, request && String(request.version));
  for (const [name, value] of Object.entries(request?.headers ?? {}))
    if (!ALWAYS_OTHERS.has(name.toLowerCase())) add({ kind: 'requestHeader', name }, value);
  for (const [name, value] of Object.entries(response?.headers ?? {}))
    if (!ALWAYS_OTHERS.has(name.toLowerCase())) add({ kind: 'answerHeader', name }, value);
  add({ kind: 'body' }, response?.body);
  return parts;
}
