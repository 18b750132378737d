/**
 * Edits single values inside a JSON text. Everything else keeps its digits, whitespace and order, including members
 * unknown to the dashboard.
 */

export type Path = readonly (string | number)[];

/**
 * A value of the text, from `start` up to but excluding `end`. `from` is where its member starts, including the name.
 */
export type JsonSyntaxNode = { from: number; start: number; end: number } & (
  | { kind: 'object'; members: readonly { name: string; node: JsonSyntaxNode }[] }
  | { kind: 'array'; items: readonly JsonSyntaxNode[] }
  | { kind: 'value' }
);

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
/** Spaces per level in added text. */
const INDENT = '  ';

/** Returns the values of a text with their positions, or undefined if the text is not JSON. */
export function jsonTree(text: string): JsonSyntaxNode | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const tokens = [...text.matchAll(TOKEN)].map(({ 0: token, index }) => ({ token, index }));
  let next = 0;
  const take = (): { token: string; index: number } => tokens[next++] ?? { token: '', index: text.length };
  const read = (from?: number): JsonSyntaxNode => {
    const { token, index: start } = take();
    const place = (): { from: number; start: number; end: number } => {
      const last = tokens[next - 1];
      return { from: from ?? start, start, end: last === undefined ? start : last.index + last.token.length };
    };
    if (token === '{') {
      const members: { name: string; node: JsonSyntaxNode }[] = [];
      while (tokens[next]?.token !== '}') {
        if (tokens[next]?.token === ',') next += 1;
        const name = take();
        next += 1;
        // `as`: a name in JSON is a string.
        members.push({ name: JSON.parse(name.token) as string, node: read(name.index) });
      }
      next += 1;
      return { kind: 'object', members, ...place() };
    }
    if (token === '[') {
      const items: JsonSyntaxNode[] = [];
      while (tokens[next]?.token !== ']') {
        if (tokens[next]?.token === ',') next += 1;
        items.push(read());
      }
      next += 1;
      return { kind: 'array', items, ...place() };
    }
    return { kind: 'value', ...place() };
  };
  return read();
}

/** Returns the value at a path. If several members have one name, the last counts, as with JSON.parse. */
export function nodeAt(tree: JsonSyntaxNode | undefined, path: Path): JsonSyntaxNode | undefined {
  let node = tree;
  for (const key of path) node = node === undefined ? undefined : childOf(node, key);
  return node;
}

function childOf(node: JsonSyntaxNode, key: string | number): JsonSyntaxNode | undefined {
  if (node.kind === 'array') return typeof key === 'number' ? node.items[key] : undefined;
  return node.kind === 'object' ? node.members.findLast(({ name }) => name === key)?.node : undefined;
}

/** Returns the text of the value at a path. */
export function valueText(text: string, tree: JsonSyntaxNode | undefined, path: Path): string | undefined {
  const node = nodeAt(tree, path);
  return node === undefined ? undefined : text.slice(node.start, node.end);
}

/** Returns the position of the value at a path, or of its nearest ancestor that exists. */
export function nearestNode(tree: JsonSyntaxNode, path: Path): JsonSyntaxNode {
  let node = tree;
  for (const key of path) {
    const child = childOf(node, key);
    if (child === undefined) return node;
    node = child;
  }
  return node;
}

/** Parses a field path as the service writes it, such as `steps[0].config["two words"]`. */
export function pathOf(field: string): Path {
  return [...field.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(([, index, quoted, name = '']) => {
    if (index !== undefined) return Number(index);
    // `as`: the text in quotes is a string.
    return quoted === undefined ? name : (JSON.parse(quoted) as string);
  });
}

/**
 * Returns the text with another value at a path. Missing members on the path are created, and values of another type on
 * it are replaced. `undefined` removes the member or item. The value is inserted as it is written, with its further
 * lines indented.
 */
export function withValue(text: string, path: Path, value: string | undefined): string {
  const tree = jsonTree(text);
  if (tree === undefined) return text;
  const [last] = path.slice(-1);
  if (last === undefined) return value ?? text;
  const node = nodeAt(tree, path);
  if (value === undefined) return node === undefined ? text : withoutItem(text, nodeAt(tree, path.slice(0, -1)), node);
  if (node !== undefined) return splice(text, node.start, node.end, movedIn(value, path.length - 1));
  const parent = nodeAt(tree, path.slice(0, -1));
  const fits = typeof last === 'number' ? parent?.kind === 'array' : parent?.kind === 'object';
  if (parent === undefined || !fits) {
    const first = typeof last === 'number' ? `[${value}]` : `{ ${JSON.stringify(last)}: ${value} }`;
    return withValue(text, path.slice(0, -1), first);
  }
  const member = typeof last === 'number' ? value : `${JSON.stringify(last)}: ${value}`;
  return withItem(text, parent, member, path.length);
}

/** Returns the text with two items of a list swapped. */
export function withSwapped(text: string, list: Path, one: number, other: number): string {
  const tree = jsonTree(text);
  const [early, late] = [Math.min(one, other), Math.max(one, other)];
  const [first, second] = [nodeAt(tree, [...list, early]), nodeAt(tree, [...list, late])];
  if (first === undefined || second === undefined || early === late) return text;
  const [a, b] = [text.slice(first.start, first.end), text.slice(second.start, second.end)];
  return splice(splice(text, second.start, second.end, a), first.start, first.end, b);
}

const splice = (text: string, from: number, to: number, middle: string): string =>
  text.slice(0, from) + middle + text.slice(to);

const movedIn = (value: string, levels: number): string => value.replaceAll('\n', `\n${INDENT.repeat(levels)}`);

/** Inserts after the last item, on a new line if the last item has one. */
function withItem(text: string, parent: JsonSyntaxNode, item: string, levels: number): string {
  const children = childrenOf(parent);
  const last = children.at(-1);
  const line = `\n${INDENT.repeat(levels)}`;
  const moved = movedIn(item, levels);
  if (last === undefined) {
    const isInline = parent.kind === 'object' && !item.includes('\n') && levels > 2;
    const inside = isInline ? ` ${item} ` : `${line}${moved}\n${INDENT.repeat(levels - 1)}`;
    return splice(text, parent.start + 1, parent.end - 1, inside);
  }
  const before = children.at(-2)?.end ?? parent.start + 1;
  const isOnLines = text.slice(before, last.from).includes('\n');
  const space = /\n[ \t]*(?=\S*$)/.exec(text.slice(before, last.from))?.[0] ?? line;
  return splice(text, last.end, last.end, isOnLines ? `,${space}${moved}` : `, ${item}`);
}

/** Removes an item together with the comma next to it. */
function withoutItem(text: string, parent: JsonSyntaxNode | undefined, node: JsonSyntaxNode): string {
  const children = parent === undefined ? [] : childrenOf(parent);
  const index = children.indexOf(node);
  const [before, after] = [children[index - 1], children[index + 1]];
  if (after !== undefined) return splice(text, node.from, after.from, '');
  if (before !== undefined) return splice(text, before.end, node.end, '');
  return parent === undefined ? text : splice(text, parent.start + 1, parent.end - 1, '');
}

const childrenOf = (node: JsonSyntaxNode): readonly JsonSyntaxNode[] =>
  node.kind === 'object' ? node.members.map((member) => member.node) : node.kind === 'array' ? node.items : [];
