import { type DefinitionFields, namesOf, stepFields, triggerFields } from './definition-fields.ts';
import { renamedInExpression, renamedInTemplate } from './step-references.ts';
import { type JsonSyntaxNode, jsonTree, nodeAt, type Path, valueText, withValue } from './json-edit.ts';

/**
 * Edits of a definition that change more than one value. Each function returns the whole new text and leaves unknown
 * parts as they are.
 */

const STEP_WAYS = ['then', 'else', 'default', 'onTimeout', 'body', 'approved', 'rejected'] as const;

/** Returns the value of a JSON text, or undefined if there is no text. */
export const parsed = (raw: string | undefined): unknown =>
  raw === undefined ? undefined : (JSON.parse(raw) as unknown);

const stringAt = (text: string, tree: JsonSyntaxNode | undefined, path: Path): string => {
  const value = parsed(valueText(text, tree, path));
  return typeof value === 'string' ? value : '';
};

/** Returns the kind of a step: its type and, for an action, also which action. */
export function stepKind(text: string, tree: JsonSyntaxNode | undefined, index: number): string {
  const type = stringAt(text, tree, ['steps', index, 'type']);
  const action = stringAt(text, tree, ['steps', index, 'config', 'action']);
  return type === 'action' && action !== '' ? `action:${action}` : type;
}

export const triggerKind = (text: string, tree: JsonSyntaxNode | undefined): string =>
  stringAt(text, tree, ['trigger', 'type']);

/** Returns the ids of the steps in order, with an empty id for a step that has none. */
export function stepIds(text: string, tree: JsonSyntaxNode | undefined): string[] {
  const steps = nodeAt(tree, ['steps']);
  return steps?.kind === 'array' ? steps.items.map((_, index) => stringAt(text, tree, ['steps', index, 'id'])) : [];
}

/** Changes the kind of a step and removes the config members that only the previous kind has. */
export function withStepKind(text: string, index: number, kind: string): string {
  const before = stepKind(text, jsonTree(text), index);
  const [type = '', action] = kind.split(':');
  let changed = withValue(text, ['steps', index, 'type'], JSON.stringify(type));
  changed = withoutMembers(changed, ['steps', index, 'config'], stepFields(before), stepFields(kind));
  const at = ['steps', index, 'config', 'action'];
  if (action !== undefined) return withValue(changed, at, JSON.stringify(action));
  return before.startsWith('action:') ? withValue(changed, at, undefined) : changed;
}

export function withTriggerKind(text: string, kind: string): string {
  const before = triggerKind(text, jsonTree(text));
  const changed = withValue(text, ['trigger', 'type'], JSON.stringify(kind));
  return withoutMembers(changed, ['trigger', 'config'], triggerFields(before), triggerFields(kind));
}

function withoutMembers(text: string, at: Path, before: DefinitionFields, after: DefinitionFields): string {
  const kept = new Set(namesOf(after));
  return namesOf(before)
    .filter((name) => !kept.has(name))
    .reduce((changed, name) => withValue(changed, [...at, name], undefined), text);
}

/**
 * Renames a step. Transitions that lead to it and expressions that read it are renamed too, unless another step has
 * that id.
 */
export function withStepId(text: string, index: number, id: string): string {
  const tree = jsonTree(text);
  const ids = stepIds(text, tree);
  const old = ids[index] ?? '';
  const renamed = withValue(text, ['steps', index, 'id'], JSON.stringify(id));
  if (old === '' || id === '' || ids.includes(id) || ids.filter((each) => each === old).length > 1) return renamed;
  const led = waysTo(renamed, old).reduce((changed, path) => withValue(changed, path, JSON.stringify(id)), renamed);
  return readersOf(led, old, id).reduce((changed, [path, value]) => withValue(changed, path, value), led);
}

/** Members of a config that are expressions. All other texts are templates. */
const EXPRESSION = /^(?:if|expression|items|collect|cases\.\d+\.when|match\.\d+\.run)$/;

/** Returns the paths of all texts that read a step, each with its JSON text after the step is renamed. */
function readersOf(text: string, old: string, id: string): [Path, string][] {
  const tree = jsonTree(text);
  const found: [Path, string][] = [];
  const look = (node: JsonSyntaxNode | undefined, path: Path): void => {
    if (node?.kind === 'array') for (const [index, item] of node.items.entries()) look(item, [...path, index]);
    if (node?.kind === 'object') for (const { name, node: member } of node.members) look(member, [...path, name]);
    const value = node?.kind === 'value' ? parsed(text.slice(node.start, node.end)) : undefined;
    if (typeof value !== 'string' || !value.includes('steps')) return;
    const isExpression = EXPRESSION.test(path.slice(3).join('.'));
    const renamed = isExpression ? renamedInExpression(value, old, id) : renamedInTemplate(value, old, id);
    if (renamed !== value) found.push([path, JSON.stringify(renamed)]);
  };
  for (const index of stepIds(text, tree).keys())
    look(nodeAt(tree, ['steps', index, 'config']), ['steps', index, 'config']);
  return found;
}

/** Returns the paths of all values that lead to a step. */
export function waysTo(text: string, id: string): Path[] {
  const tree = jsonTree(text);
  const found: Path[] = [];
  const look = (path: Path): void => {
    if (stringAt(text, tree, path) === id) found.push(path);
  };
  const each = (path: Path, then: (path: Path) => void): void => {
    const node = nodeAt(tree, path);
    if (node?.kind === 'array') for (const index of node.items.keys()) then([...path, index]);
  };
  each(['steps'], (at) => {
    look([...at, 'next']);
    for (const name of STEP_WAYS) look([...at, 'config', name]);
    each([...at, 'config', 'branches'], look);
    for (const name of ['cases', 'onError']) each([...at, 'config', name], (entry) => look([...entry, 'next']));
  });
  return found;
}
