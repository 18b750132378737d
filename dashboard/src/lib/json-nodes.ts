import { itemTexts, memberTexts } from './raw-json.ts';

/** A value inside a JSON text, kept as text. */
export type JsonNode = {
  /** Its path: `payload.items[0]["two words"]`. */
  path: string;
  /** Its name in its object, or its index in its array. Undefined for the root. */
  name: string | number | undefined;
  text: string;
  kind: 'object' | 'array' | 'text' | 'number' | 'word';
  /** 1 for the root. */
  level: number;
  /** Its position among its siblings, counted from 1, and their number. */
  position: number;
  siblings: number;
};

export const rootOf = (json: string, path: string): JsonNode => {
  const text = json.trim();
  return { path, name: undefined, text, kind: kindOf(text), level: 1, position: 1, siblings: 1 };
};

/** Returns a node's members or items in order. They are parsed only when the node is opened. */
export function childrenOf({ path, text, kind, level }: JsonNode): JsonNode[] {
  const children: [string | number, string][] =
    kind === 'object' ? memberTexts(text) : kind === 'array' ? [...itemTexts(text).entries()] : [];
  return children.map(([name, own], index) => ({
    path: path + stepOf(name),
    name,
    text: own,
    kind: kindOf(own),
    level: level + 1,
    position: index + 1,
    siblings: children.length,
  }));
}

export const canOpen = ({ kind, text }: JsonNode): boolean =>
  (kind === 'object' || kind === 'array') && !/^[[{]\s*[\]}]$/.test(text);

/** Returns the root and all nodes below open ones, in reading order. */
export function openNodes(root: JsonNode, isOpen: (node: JsonNode) => boolean, below: (node: JsonNode) => JsonNode[]) {
  const found: JsonNode[] = [];
  // An explicit stack (the next node is last), so that deep documents cannot overflow the call stack.
  const left = [root];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    found.push(node);
    if (canOpen(node) && isOpen(node)) for (const child of below(node).toReversed()) left.push(child);
  }
  return found;
}

function kindOf(text: string): JsonNode['kind'] {
  if (text.startsWith('{')) return 'object';
  if (text.startsWith('[')) return 'array';
  if (text.startsWith('"')) return 'text';
  return /^[-\d]/.test(text) ? 'number' : 'word';
}

const stepOf = (name: string | number): string => {
  if (typeof name === 'number') return `[${name}]`;
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
};
