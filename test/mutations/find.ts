import { sourcesOf } from '../support/check/imports.ts';
import { type Node, parse, textOf, walk } from './syntax.ts';

/** A tenant condition in a source file, and what stands in its place where it is removed. */
export type Mutation = {
  /** Path, function and text of the condition: stays the same while lines move. */
  id: string;
  path: string;
  kind: 'sql' | 'where' | 'walk' | 'comparison' | 'cursor' | 'key';
  line: number;
  /** Bytes of the file. */
  start: number;
  end: number;
  replacement: string;
};

// A person's own things are theirs alone, like a tenant's.
const FIELDS = ['environmentId', 'organisationId', 'appId', 'userId'];
const COLUMNS = ['environment_id', 'organisation_id', 'app_id', 'user_id'];
const COLUMN = COLUMNS.join('|');
const HOLE = String.raw`\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}`;
/** SQL: a column of a tenant equals a parameter, a hole of the template, or a column. */
const EQUALS = new RegExp(
  String.raw`(?:\b[a-z]\w*\.)?\b(?:${COLUMN})\s*=\s*(${HOLE}(?:\.\w+)?|\$\d+|[a-z]\w*\.\w+)|\b[a-z]\w*\.id\s*=\s*([a-z]\w*\.(?:${COLUMN}))`,
  'g',
);
const USING = new RegExp(String.raw`(?<=USING \()(?:${COLUMN}), `, 'g');

/**
 * Every tenant condition of the service, in the order of its files. The roles of `src/process` are the operator's, who is bound to no
 * tenant.
 */
export const allMutations = (): Mutation[] =>
  [...sourcesOf('src')]
    .filter(([path]) => !path.startsWith('src/process/'))
    .flatMap(([path, source]) => findMutations(path, source));

/** Every tenant condition of a file, by its syntax. */
export function findMutations(path: string, source: string): Mutation[] {
  const root = parse(source);
  const found: Found[] = [];
  const names: string[] = [];
  walk(root, (node, parents) => {
    for (const mutation of [
      ...ofSql(node, source),
      ...ofObject(node, parents, source),
      ...ofCall(node, parents, source),
      ...ofComparison(node),
      ...ofKey(node, parents, source),
    ]) {
      found.push(mutation);
      names.push(functionOf(parents));
    }
  });
  const seen = new Map<string, number>();
  const bytes = Buffer.from(source);
  return found.flatMap((mutation, index) => {
    // A text of SQL inside another one is found with both.
    if (found.findIndex(({ start }) => start === mutation.start) < index) return [];
    const text = bytes.subarray(mutation.start, mutation.end).toString().replaceAll(/\s+/g, ' ');
    const name = `${path} ${names[index]}: ${mutation.kind} ${text}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    const line = bytes.subarray(0, mutation.start).toString().split('\n').length;
    return [{ ...mutation, id: count === 1 ? name : `${name} (${count})`, path, line }];
  });
}

type Found = Omit<Mutation, 'id' | 'path' | 'line'>;

/** A condition in a text of SQL. The parameter stays in use: PostgreSQL refuses one whose type it cannot tell. */
function* ofSql(node: Node, source: string): Generator<Found> {
  if (node.type !== 'TemplateLiteral' && node.type !== 'StringLiteral') return;
  const text = textOf(node, source);
  const at = (index: number): number => node.span.start + Buffer.byteLength(text.slice(0, index));
  for (const match of text.matchAll(EQUALS)) {
    const value = match[1] ?? match[2] ?? '';
    const isParameter = value.startsWith('$') && !/\}\.\w+$/.test(value);
    yield {
      kind: 'sql',
      start: at(match.index),
      end: at(match.index + match[0].length),
      replacement: `${value}${isParameter ? '::text' : ''} IS NOT NULL`,
    };
  }
  for (const match of text.matchAll(USING))
    yield { kind: 'sql', start: at(match.index), end: at(match.index + match[0].length), replacement: '' };
}

/** A property of Prisma's `where`, the place of a cursor, and the first column of a walk along an index. */
function* ofObject(node: Node, parents: readonly Node[], source: string): Generator<Found> {
  if (node.type !== 'ObjectExpression') return;
  const properties = node.children('properties');
  for (const property of properties) {
    const name = property.keyName();
    const isOfOneIn =
      parents.at(-1)?.keyName() === 'some' && FIELDS.includes(property.children('value')[0]?.lastName() ?? '');
    if (name === undefined || (!FIELDS.includes(name) && !isOfOneIn)) continue;
    // A place in a list, of the people of an organisation.
    if (property.children('value')[0]?.type === 'ObjectExpression') continue;
    if (isWhere(parents)) yield { kind: 'where', ...property.span, replacement: '...{}' };
    if (isTyped(parents, 'ListScope')) yield { kind: 'cursor', ...property.span, replacement: `${name}: ''` };
  }
  const named = (name: string): Node | undefined => properties.find((property) => property.keyName() === name);
  const [columns, at, of, owners] = ['columns', 'at', 'of', 'owners'].map(named);
  if (columns !== undefined && at !== undefined && beginsWithTenant(columns, parents, source)) {
    const value = textOf(at, source).replace(/^at:?\s*/, '') || 'at';
    const replacement = `at: ((given) => [\`coalesce(d.environment_id, \${given[0]})\`, ...given.slice(1)])(${value})`;
    yield { kind: 'walk', ...at.span, replacement };
  }
  if (of !== undefined && owners !== undefined && COLUMNS.some((column) => textOf(of, source).includes(column))) {
    const value = textOf(owners, source).replace(/^owners:?\s*/, '') || 'owners';
    const replacement = `owners: \`SELECT e.id FROM environments e WHERE EXISTS (\${${value}})\``;
    yield { kind: 'walk', ...owners.span, replacement };
  }
}

/** A call that makes a condition of a column's name and a value. */
function* ofCall(node: Node, parents: readonly Node[], source: string): Generator<Found> {
  if (node.type !== 'CallExpression') return;
  const [column, value] = node.children('arguments');
  if (column?.type !== 'StringLiteral' || value === undefined || !COLUMNS.includes(String(column.value('value'))))
    return;
  if (parents.at(-1)?.isSpreadOf(node) === true) yield { kind: 'walk', ...node.span, replacement: '[]' };
  else {
    const replacement = `\`coalesce(d.${String(column.value('value'))}, \${${textOf(value, source)}})\``;
    yield { kind: 'walk', ...value.span, replacement };
  }
}

/** A comparison of a tenant's id with anything but undefined and null. */
function* ofComparison(node: Node): Generator<Found> {
  const operator = node.value('operator');
  if (node.type !== 'BinaryExpression' || (operator !== '===' && operator !== '!==')) return;
  const sides = ['left', 'right'].flatMap((name) => node.children(name));
  if (sides.some((side) => side.type === 'NullLiteral' || side.value('value') === 'undefined')) return;
  if (sides.some((side) => FIELDS.includes(side.lastName() ?? '')))
    yield { kind: 'comparison', ...node.span, replacement: String(operator === '===') };
}

/** A hole with a tenant's id in a template that is no SQL: a key by which a process remembers something. */
function* ofKey(node: Node, parents: readonly Node[], source: string): Generator<Found> {
  if (node.type !== 'TemplateLiteral' || textOf(node, source).search(EQUALS) >= 0) return;
  // A statement of Prisma.
  if (parents.at(-1)?.type === 'TaggedTemplateExpression') return;
  const holes = node.children('expressions');
  if (holes.length < 2) return;
  for (const hole of holes)
    if (FIELDS.includes(hole.lastName() ?? '')) yield { kind: 'key', ...hole.span, replacement: `''` };
}

/** Kinds of syntax through which an object is a part of another one. */
const PARTS = [
  'ObjectExpression',
  'KeyValueProperty',
  'SpreadElement',
  'ParenthesisExpression',
  'BinaryExpression',
  'ConditionalExpression',
  'ArrayExpression',
];

/** Whether an object is the value of `where`, or a part of it. A composite key is none that can be left out. */
function isWhere(parents: readonly Node[]): boolean {
  for (const parent of parents.toReversed()) {
    const key = parent.type === 'KeyValueProperty' ? parent.keyName() : undefined;
    if (key === 'where') return true;
    if (key?.includes('_') === true || ['data', 'select', 'include', 'create'].includes(key ?? '')) return false;
    if (parent.type === 'VariableDeclarator') return parent.children('id')[0]?.lastName() === 'where';
    if (parent.type === 'ArrowFunctionExpression')
      return JSON.stringify(parent.value('returnType')).includes('WhereInput');
    if (!PARTS.includes(parent.type) && parent.type !== 'Argument') return false;
  }
  return false;
}

const isTyped = (parents: readonly Node[], type: string): boolean => {
  const parent = parents.at(-1);
  return parent?.type === 'VariableDeclarator' && JSON.stringify(parent.children('id')[0]?.raw).includes(`"${type}"`);
};

/** Whether `columns` is a list that begins with a tenant's column, in place or in the variable of that name. */
function beginsWithTenant(columns: Node, parents: readonly Node[], source: string): boolean {
  const begins = new RegExp(String.raw`columns(?::| =) \['(?:${COLUMN})'`);
  const block = parents.findLast(({ type }) => type === 'BlockStatement');
  const isShorthand = textOf(columns, source) === 'columns';
  return begins.test(isShorthand && block !== undefined ? textOf(block, source) : textOf(columns, source));
}

/** The innermost function, or constant of the file, that has a name. */
function functionOf(parents: readonly Node[]): string {
  const names = parents.flatMap((node) => {
    if (['FunctionDeclaration', 'MethodProperty'].includes(node.type)) return [node.keyName() ?? ''];
    if (node.type === 'KeyValueProperty' && node.children('value')[0]?.type === 'ArrowFunctionExpression')
      return [node.keyName() ?? ''];
    if (node.type === 'VariableDeclarator') return [node.children('id')[0]?.lastName() ?? ''];
    return [];
  });
  return (
    names
      .filter((name) => name !== '' && name !== 'where')
      .slice(0, 2)
      .join('.') || 'file'
  );
}
