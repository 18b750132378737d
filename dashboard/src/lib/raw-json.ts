/**
 * Handles JSON as text, never as values: a number such as 12.50 or 9007199254740993 keeps its digits, and a string its
 * escapes. The text must be valid JSON sent by the service.
 */

export const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Returns the text of a member of the outermost object exactly as it is written, or undefined if there is none. */
export const memberText = (json: string, name: string): string | undefined =>
  memberTexts(json).find(([key]) => key === name)?.[1];

/** Returns the members of the outermost object, each with its text exactly as it is written. */
export function memberTexts(json: string): [name: string, text: string][] {
  const members: [string, string][] = [];
  let depth = 0;
  let key = '';
  let start: number | undefined;
  let expectsKey = false;
  for (const { 0: token, index } of json.matchAll(JSON_TOKEN)) {
    const opens = token === '{' || token === '[';
    const closes = token === '}' || token === ']';
    if (depth === 1 && start !== undefined && (token === ',' || closes)) {
      members.push([key, json.slice(start, index).trim()]);
      start = undefined;
    }
    if (closes) depth -= 1;
    if (depth === 1 && expectsKey && token.startsWith('"')) {
      // `as`: the text of a JSON string parses to a string.
      key = JSON.parse(token) as string;
      expectsKey = false;
    } else if (depth === 1 && token === ':' && start === undefined) {
      start = index + 1;
    }
    if (opens) depth += 1;
    if (depth === 1 && (token === '{' || token === ',')) expectsKey = true;
  }
  return members;
}

/** Returns the texts of the items of the outermost array, exactly as they are written. */
export function itemTexts(json: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let start: number | undefined;
  for (const { 0: token, index } of json.matchAll(JSON_TOKEN)) {
    const closes = token === '}' || token === ']';
    if (depth === 1 && (token === ',' || closes)) {
      if (start !== undefined) items.push(json.slice(start, index).trim());
      start = undefined;
    } else if (depth === 1 && start === undefined) {
      start = index;
    }
    if (closes) depth -= 1;
    if (token === '{' || token === '[') depth += 1;
  }
  return items;
}

export type Piece = { text: string; kind: 'key' | 'text' | 'number' | 'word' | 'sign' };

/** Returns the same JSON, indented by two spaces per level. */
export const prettyText = (json: string): string => [...prettyPieces(json)].map(({ text }) => text).join('');

/** Returns the same JSON, indented by two spaces per level, as tokens for colouring. */
export function* prettyPieces(json: string): Generator<Piece> {
  const tokens = json.match(JSON_TOKEN) ?? [];
  let depth = 0;
  const newLine = (): Piece => ({ text: `\n${'  '.repeat(depth)}`, kind: 'sign' });
  for (const [position, token] of tokens.entries()) {
    const next = tokens[position + 1];
    switch (token) {
      case '{':
      case '[':
        yield { text: token, kind: 'sign' };
        depth += 1;
        if (next !== '}' && next !== ']') yield newLine();
        break;
      case '}':
      case ']': {
        depth -= 1;
        const previous = tokens[position - 1];
        if (previous !== '{' && previous !== '[') yield newLine();
        yield { text: token, kind: 'sign' };
        break;
      }
      case ',':
        yield { text: token, kind: 'sign' };
        yield newLine();
        break;
      case ':':
        yield { text: ': ', kind: 'sign' };
        break;
      default:
        yield { text: token, kind: kindOf(token, next) };
    }
  }
}

function kindOf(token: string, next: string | undefined): Piece['kind'] {
  if (token.startsWith('"')) return next === ':' ? 'key' : 'text';
  return /^[-\d]/.test(token) ? 'number' : 'word';
}
