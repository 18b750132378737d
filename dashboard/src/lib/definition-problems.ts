import type { CodeProblem } from '../ui/code/editor-problems.ts';
import { type FlowGraph, TRIGGER } from './flow-graph.ts';
import { jsonTree, nearestNode, type Path, pathOf } from './json-edit.ts';

/** A validation error of a definition: where it is, such as `steps[2].config.body.amount`, and why. */
export type WrittenProblem = { field: string; reason: string };

/** Returns the problems of the value at a field and of everything inside it. */
export const problemsAt = (problems: readonly WrittenProblem[], field: string): WrittenProblem[] =>
  problems.filter(
    (each) => each.field === field || each.field.startsWith(`${field}.`) || each.field.startsWith(`${field}[`),
  );

/**
 * Returns the step or trigger that a problem belongs to. Returns undefined if it belongs to the workflow itself, for
 * example to its name.
 */
export function stepOf(problem: WrittenProblem, flow: FlowGraph): string | undefined {
  const [first, index] = pathOf(problem.field);
  if (first === 'trigger') return TRIGGER;
  return first === 'steps' && typeof index === 'number' ? flow.steps[index]?.key : undefined;
}

/** Returns how many problems each step has. */
export function problemCounts(problems: readonly WrittenProblem[], flow: FlowGraph): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const problem of problems) {
    const key = stepOf(problem, flow);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Puts a reason into the reader's words and suggests what to write in place of which part of the text. */
export type ToldProblem = { message: string; bad?: string; fix?: string };

export function told({ reason }: WrittenProblem, ids: readonly string[]): ToldProblem {
  const [, read] = /^steps\.([\w-]+) is not available in step/.exec(reason) ?? [];
  if (read !== undefined && !ids.includes(read)) {
    const fix = nearest(read, ids);
    return { message: `No step is called ${read}`, bad: read, ...(fix !== undefined && { fix }) };
  }
  if (read !== undefined)
    return {
      message: `${read} doesn't run before this step on every way. Use steps.?${read}.output.orValue(null) to read it where it did.`,
      bad: read,
    };
  const [, unknown] = /^references unknown step "([^"]*)"/.exec(reason) ?? [];
  const [, meant] = /did you mean ([^\s?]+)\?/.exec(reason) ?? [];
  if (unknown !== undefined)
    return {
      message: unknown === '' ? 'Choose a step' : `No step is called ${unknown}`,
      bad: unknown,
      ...(meant !== undefined && { fix: meant }),
    };
  const message = sentence(meant === undefined ? reason : reason.replace(/[;,]? did you mean [^?]+\?/, ''));
  return meant === undefined ? { message } : { message, fix: meant };
}

/** Returns the reason and the suggestion in one line. */
export const toldText = ({ message, fix }: ToldProblem): string =>
  fix === undefined ? message : `${message}. Did you mean ${fix}?`;

/** Turns `must not be empty` into `Must not be empty`. Leaves out long lists of allowed values. */
function sentence(reason: string): string {
  const text = reason.length > 220 ? `${reason.slice(0, 219).trimEnd()}…` : reason;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Returns the name that differs by the fewest letters: by at most a third of them, or a longer name that starts with
 * this one.
 */
function nearest(name: string, names: readonly string[]): string | undefined {
  const near = names
    .filter((each) => each !== '')
    .map((each) => ({ each, far: each.startsWith(name) || name.startsWith(each) ? 1 : editsBetween(name, each) }))
    .toSorted((one, other) => one.far - other.far)[0];
  return near !== undefined && near.far <= Math.max(1, Math.floor(name.length / 3)) ? near.each : undefined;
}

function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= other.length; to += 1)
      next.push(
        Math.min(
          (next[to - 1] ?? 0) + 1,
          (row[to] ?? 0) + 1,
          (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[other.length] ?? Infinity;
}

/** Maps problems to their positions in a JSON text that is located at `base` in the definition. */
export function problemsInJson(
  text: string,
  problems: readonly WrittenProblem[],
  { base = '', ids }: { base?: string; ids: readonly string[] },
): CodeProblem[] {
  const tree = jsonTree(text);
  if (tree === undefined) return [];
  return problems.map((problem): CodeProblem => {
    const path: Path = pathOf(problem.field.slice(base.length));
    const { from, start, end } = nearestNode(tree, path);
    const { message, bad, fix } = told(problem, ids);
    const within = text.slice(start, end);
    const at = bad === undefined || bad === '' ? -1 : within.indexOf(bad);
    if (at !== -1 && bad !== undefined)
      return { message, from: start + at, to: start + at + bad.length, ...(fix !== undefined && { fix }) };
    const line = text.indexOf('\n', start);
    return { message, from, to: line === -1 ? end : Math.min(end, line) };
  });
}

/** Returns the problems of a text that is not JSON: an expression or a template. */
export function problemsInText(
  text: string,
  problems: readonly WrittenProblem[],
  ids: readonly string[],
): CodeProblem[] {
  return problems.map((problem): CodeProblem => {
    const { message, bad, fix } = told(problem, ids);
    const at = bad === undefined || bad === '' ? -1 : text.indexOf(bad);
    if (at !== -1 && bad !== undefined)
      return { message, from: at, to: at + bad.length, ...(fix !== undefined && { fix }) };
    const [, line, column] = /^line (\d+):(\d+): /i.exec(problem.reason) ?? [];
    if (line !== undefined && column !== undefined) {
      const before = text
        .split('\n')
        .slice(0, Number(line) - 1)
        .reduce((sum, each) => sum + each.length + 1, 0);
      return { message: message.replace(/^line \d+:\d+: /i, ''), from: Math.min(text.length, before + Number(column)) };
    }
    return { message, from: 0, to: text.length };
  });
}
