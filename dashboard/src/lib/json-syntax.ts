import type { CodeProblem } from '../ui/code/editor-problems.ts';

/** Returns why a text is not valid JSON and where, or undefined if it is valid. */
export function jsonSyntax(text: string): CodeProblem | undefined {
  if (text.trim() === '') return { message: 'Enter JSON' };
  try {
    JSON.parse(text);
    return undefined;
  } catch (failure) {
    const message = failure instanceof Error ? failure.message : String(failure);
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    const [reason = message] = message.split(/ in JSON at position| \(line /);
    if (position === undefined) return { message: `Invalid JSON: ${reason}` };
    const from = Math.min(Number(position), text.length);
    return { message: `Invalid JSON: ${reason}`, from, line: text.slice(0, from).split('\n').length };
  }
}
