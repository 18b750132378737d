import { ExpressionRefused, placeIn } from '../../messaging/filters/expressions/expressions.ts';
import { childrenOf, type ExpressionNode } from '../../messaging/filters/expressions/language.ts';

/**
 * Ids of the steps whose results an expression reads. `firm`: steps without which it fails. `steps.?a` and
 * `has(steps.a)` do not require the step, nor does what is evaluated only if `has(steps.a)` or `steps.?a.hasValue()` is
 * true. `misread`: members that steps do not have.
 */
export type StepReferences = { steps: ReadonlySet<string>; firm: ReadonlySet<string>; misread: readonly Misread[] };

/** `steps.a.total`, where most likely `steps.a.output.total` is meant. */
type Misread = { id: string; member: string };

const MEMBERS = new Set(['status', 'output', 'error', 'attempts']);

/**
 * Returns the ids after `steps.` and in `steps["…"]`. Throws ExpressionRefused if a step is only known at evaluation.
 */
export function stepReferencesIn(root: ExpressionNode, expression: string): StepReferences {
  const steps = new Set<string>();
  const firm = new Set<string>();
  const misread: Misread[] = [];
  const visit = (node: ExpressionNode, known: ReadonlySet<string>): void => {
    if (node.op === 'id' && node.args === 'steps') throw refused(expression, node);
    const asked = askedFor(node);
    const id = asked ?? (isMember(node) ? stepOf(node, expression) : undefined);
    if (id !== undefined) {
      steps.add(id);
      const isFirm = asked === undefined && (node.op === '.' || node.op === '[]');
      if (isFirm && !known.has(id)) firm.add(id);
      return;
    }
    const odd = misreadIn(node, expression);
    if (odd !== undefined) misread.push(odd);
    const [first, second, third] = childrenOf(node);
    if (first !== undefined) visit(first, known);
    if (second !== undefined) visit(second, knownBehind(node, first, known));
    if (node.op === '?:') {
      if (third !== undefined) visit(third, both(known, knownWhen(false, first)));
    } else for (const child of childrenOf(node).slice(2)) visit(child, known);
  };
  visit(root, new Set());
  return { steps, firm, misread };
}

/** Returns an unknown member that is read directly from a step. */
function misreadIn(node: ExpressionNode, expression: string): Misread | undefined {
  if (node.op !== '.') return undefined;
  const [step, member] = node.args;
  const id = isMember(step) ? stepOf(step, expression) : undefined;
  return id === undefined || MEMBERS.has(member) ? undefined : { id, member };
}

/** Returns the steps known to exist when the second part of `&&`, `||` and `?:` is evaluated. */
function knownBehind(node: ExpressionNode, first: ExpressionNode | undefined, known: ReadonlySet<string>) {
  if (node.op === '&&' || node.op === '?:') return both(known, knownWhen(true, first));
  return node.op === '||' ? both(known, knownWhen(false, first)) : known;
}

const both = (one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> => new Set([...one, ...other]);

/** Returns the steps that have ended if this condition is true, or false. */
function knownWhen(value: boolean, node: ExpressionNode | undefined): ReadonlySet<string> {
  if (node === undefined) return new Set();
  if (node.op === '!_') return knownWhen(!value, node.args);
  if (node.op === (value ? '&&' : '||')) {
    const [first, second] = childrenOf(node);
    return both(knownWhen(value, first), knownWhen(value, second));
  }
  const id = value ? (askedFor(node) ?? heldBy(node)) : undefined;
  return new Set(id === undefined ? [] : [id]);
}

/** Returns the step of `has(steps.a)`. */
function askedFor(node: ExpressionNode): string | undefined {
  if (node.op !== 'call' || node.args[0] !== 'has') return undefined;
  const [asked] = node.args[1];
  return asked?.op === '.' && isSteps(asked.args[0]) ? asked.args[1] : undefined;
}

/** Returns the step of `steps.?a.hasValue()`. */
function heldBy(node: ExpressionNode): string | undefined {
  if (node.op !== 'rcall' || node.args[0] !== 'hasValue') return undefined;
  const [, holder] = node.args;
  return (holder.op === '.?' || holder.op === '[?]') && isSteps(holder.args[0]) ? idIn(holder.args[1]) : undefined;
}

type Member = ExpressionNode & { op: '.' | '.?' | '[]' | '[?]' };
const isMember = (node: ExpressionNode): node is Member =>
  node.op === '.' || node.op === '.?' || node.op === '[]' || node.op === '[?]';

/** Returns the step that is read; undefined for a member of something else. */
function stepOf(node: Member, expression: string): string | undefined {
  const [whole, name] = node.args;
  if (!isSteps(whole)) return undefined;
  const id = idIn(name);
  if (id === undefined) throw refused(expression, node);
  return id;
}

const isSteps = (node: ExpressionNode): boolean => node.op === 'id' && node.args === 'steps';

function idIn(name: string | ExpressionNode): string | undefined {
  const id: unknown = typeof name === 'string' ? name : name.op === 'value' ? name.args : undefined;
  return typeof id === 'string' ? id : undefined;
}

function refused(expression: string, { pos }: ExpressionNode): ExpressionRefused {
  return new ExpressionRefused(
    `${placeIn(expression, pos)}: a step must be written as steps.id or steps["id"], with a literal id`,
  );
}
