import { ID_FORM, ID_PREFIXES } from '../../../kernel/values/ids.ts';

/** Path of inspectors, before their ids. */
export const INSPECT_PATH = '/inspect/';

const ID = `${ID_PREFIXES.inspector}_${ID_FORM}`;
const ADDRESS = new RegExp(`^${INSPECT_PATH}(${ID})$`);
const ADDRESS_AND_MORE = new RegExp(`^${INSPECT_PATH}(${ID})(/.*)?$`);

/** Whether a path is exactly the address of an inspector, whoever has it. */
export const isInspectPath = (path: string): boolean => ADDRESS.test(path);

/** The id of the inspector at this path, and the rest of the path behind it; undefined for any other path. */
export function readInspectPath(path: string): { id: string; rest: string } | undefined {
  // Every request passes here, and an expression costs more than a look at the first letters.
  if (!path.startsWith(INSPECT_PATH)) return undefined;
  const [, id, rest = ''] = ADDRESS_AND_MORE.exec(path) ?? [];
  return id === undefined ? undefined : { id, rest };
}
