import { parseSync } from '@swc/core';

type Raw = { type: string; span: { start: number; end: number } } & Record<string, unknown>;

/** A node of the syntax tree. Spans are bytes of the file, from 0. */
export type Node = {
  raw: Raw;
  type: string;
  span: { start: number; end: number };
  value(name: string): unknown;
  children(name: string): Node[];
  /** Name of a property, a method or a function. */
  keyName(): string | undefined;
  /** The last name of `a`, `a.b` or `a?.b`. */
  lastName(): string | undefined;
  isSpreadOf(node: Node): boolean;
};

const isRaw = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

/** Elements of arrays and arguments are wrapped: `{ spread, expression }`. */
const isWrapped = (value: unknown): value is { spread: unknown; expression: Raw } =>
  typeof value === 'object' && value !== null && 'expression' in value && !('type' in value);

function nodeOf(raw: Raw, offset: number): Node {
  const span = spanOf(raw, offset);
  const node: Node = {
    raw,
    type: raw.type,
    span,
    value: (name) => raw[name],
    children: (name) => nodesIn(raw[name], offset),
    keyName() {
      // A shorthand property is its own name.
      if (raw.type === 'Identifier') return raw['value'] as string;
      const [key] = [...nodesIn(raw['key'], offset), ...nodesIn(raw['identifier'], offset)];
      return key === undefined ? undefined : String(key.value('value'));
    },
    lastName() {
      if (raw.type === 'Identifier') return raw['value'] as string;
      if (raw.type === 'OptionalChainingExpression') return nodesIn(raw['base'], offset)[0]?.lastName();
      return raw.type === 'MemberExpression' ? nodesIn(raw['property'], offset)[0]?.lastName() : undefined;
    },
    isSpreadOf: (child) =>
      raw.type === 'ArrayExpression' &&
      (raw['elements'] as unknown[]).some(
        (each) => isWrapped(each) && each.spread !== null && each.expression === child.raw,
      ),
  };
  return node;
}

function spanOf(raw: Raw, offset: number): Node['span'] {
  const span = raw.span ??
    (raw as unknown as { properties?: Raw[] }).properties?.[0]?.span ?? { start: offset, end: offset };
  if (raw.type === 'KeyValueProperty' || raw.type === 'AssignmentProperty') {
    const [key, value] = [raw['key'] as Raw, raw['value'] as Raw];
    return { start: key.span.start - offset, end: value.span.end - offset };
  }
  return { start: span.start - offset, end: span.end - offset };
}

const nodesIn = (value: unknown, offset: number): Node[] => {
  if (Array.isArray(value)) return value.flatMap((each) => nodesIn(each, offset));
  if (isWrapped(value)) return [nodeOf(value.expression, offset)];
  return isRaw(value) ? [nodeOf(value, offset)] : [];
};

/** The tree of a TypeScript file. */
export function parse(source: string): Node {
  // `as`: swc's own types are unions of all nodes; this reads any of them alike. Its positions begin with 1.
  return nodeOf(parseSync(source, { syntax: 'typescript', target: 'es2022' }) as unknown as Raw, 1);
}

/** Visits every node with its ancestors, outermost first. */
export function walk(node: Node, visit: (node: Node, parents: readonly Node[]) => void, parents: Node[] = []): void {
  visit(node, parents);
  const inner = [...parents, node];
  for (const name of Object.keys(node.raw)) for (const child of node.children(name)) walk(child, visit, inner);
}
