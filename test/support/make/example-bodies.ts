import { exampleId } from '../../../src/api/openapi/examples.ts';
import { ID_PREFIXES, type IdKind } from '../../../src/kernel/values/ids.ts';

/** Replaces the example ids of a route row with ids that exist. A kind for which `idOf` has none keeps its example. */
export function withIds<T>(value: T, idOf: (kind: IdKind) => string | undefined): T {
  let text = JSON.stringify(value);
  // `as`: Object.keys forgets them.
  for (const kind of Object.keys(ID_PREFIXES) as IdKind[])
    text = text.replaceAll(exampleId(kind), idOf(kind) ?? exampleId(kind));
  // `as`: only texts in it have changed.
  return JSON.parse(text) as T;
}
