import { JSON_TOKEN } from '../../lib/raw-json.ts';

/** A part of a line that has one colour. */
export type ColouredPiece = { text: string; kind: 'key' | 'string' | 'number' | 'atom' | 'plain' };

/** A line as it is drawn. A very long one is divided, and only its first part has a number. */
export type CodeLine = {
  number: number | undefined;
  /** Spaces at its start: a wrapped line continues below its text. */
  indent: number;
  pieces: readonly ColouredPiece[];
  /** Path of the value that starts here: `$.customer.vatId`. */
  path?: string;
  /** Index of the line that closes the object or array opened here. */
  end?: number;
};

/** Objects and arrays of plain values stay on one line up to this length. */
const INLINE = 48;
/** A longer line is divided, so that the browser never has to lay out 256 KiB for the twenty lines in view. */
const LONGEST = 2_000;

/**
 * Formats JSON as lines by moving only its tokens: numbers keep their digits and strings their escapes. `root` is the
 * prefix of the paths. The text must be valid JSON.
 */
export function jsonLines(json: string, root = '$'): CodeLine[] {
  const tokens = json.match(JSON_TOKEN) ?? [];
  const lines: CodeLine[] = [];
  /** Open containers: where they started, and the name or index of their current value. */
  const open: { line: number; path: string; item: number | undefined }[] = [];
  let pieces: ColouredPiece[] = [];
  let path: string | undefined = root;
  let number = 0;
  const endLine = (depth: number): void => {
    number += 1;
    const line = { number, indent: depth * 2, pieces, ...(path !== undefined && { path }) };
    lines.push(...divided(line, ' '.repeat(depth * 2)));
    pieces = [];
    path = undefined;
  };
  const nextItem = (): void => {
    const parent = open.at(-1);
    if (parent?.item === undefined) return;
    path = `${parent.path}[${parent.item}]`;
    parent.item += 1;
  };
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? '';
    const next = tokens[at + 1];
    if (token === '{' || token === '[') {
      const close = inlineEnd(tokens, at);
      if (close !== undefined) {
        pieces.push(...inlinePieces(tokens.slice(at, close + 1)));
        at = close;
        continue;
      }
      pieces.push(plain(token));
      const own = path ?? root;
      endLine(open.length);
      open.push({ line: lines.length - 1, path: own, item: token === '[' ? 0 : undefined });
      nextItem();
    } else if (token === '}' || token === ']') {
      endLine(open.length);
      const begun = open.pop();
      const opener = lines[begun?.line ?? 0];
      if (opener !== undefined) opener.end = lines.length;
      pieces.push(plain(token));
    } else if (token === ',') {
      pieces.push(plain(token));
      endLine(open.length);
      nextItem();
    } else if (token === ':') {
      pieces.push(plain(': '));
    } else {
      const piece = coloured(token, next);
      if (piece.kind === 'key') path = (open.at(-1)?.path ?? root) + stepOf(token);
      pieces.push(piece);
    }
  }
  endLine(open.length);
  return lines;
}

/** Splits into lines a text that is not JSON, or JSON as it is stored. */
export function textLines(text: string): CodeLine[] {
  const all = text.split('\n');
  // A final newline ends the last line and does not start another one.
  if (all.length > 1 && all.at(-1) === '') all.pop();
  return all.flatMap((each, at) => {
    const indent = /^ */.exec(each)?.[0].length ?? 0;
    return divided({ number: at + 1, indent, pieces: [plain(each.slice(indent))] }, ' '.repeat(indent));
  });
}

/** Returns the lines, by index, without those inside folded ones. */
export function unfolded(lines: readonly CodeLine[], folded: ReadonlySet<number>): number[] {
  const shown: number[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    shown.push(at);
    // The closing line is drawn after the opening one.
    if (folded.has(at)) at = lines[at]?.end ?? at;
  }
  return shown;
}

export const lineText = ({ pieces }: CodeLine): string => pieces.map(({ text }) => text).join('');

const plain = (text: string): ColouredPiece => ({ text, kind: 'plain' });

const stepOf = (key: string): string => {
  const name = key.slice(1, -1);
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${key}]`;
};

function coloured(token: string, next: string | undefined): ColouredPiece {
  if (token.startsWith('"')) return { text: token, kind: next === ':' ? 'key' : 'string' };
  return { text: token, kind: /^[-\d]/.test(token) ? 'number' : 'atom' };
}

/**
 * Returns where a container ends if it fits on one line: it is short, and contains no other containers except empty
 * ones.
 */
function inlineEnd(tokens: readonly string[], from: number): number | undefined {
  let length = 0;
  for (let at = from; at < tokens.length; at += 1) {
    const token = tokens[at] ?? '';
    length += token.length + (token === ',' || token === ':' ? 1 : 0);
    if (length > INLINE) return undefined;
    if (at > from && (token === '{' || token === '[')) {
      if (!isEmptyAt(tokens, at)) return undefined;
      length += 1;
      at += 1;
    } else if (token === '}' || token === ']') return at;
  }
  return undefined;
}

const isEmptyAt = (tokens: readonly string[], at: number): boolean => /^[}\]]$/.test(tokens[at + 1] ?? '');

function inlinePieces(tokens: readonly string[]): ColouredPiece[] {
  return tokens.map((token, at) => {
    if (token === '{') return plain(isEmptyAt(tokens, at) ? '{' : '{ ');
    if (token === '}') return plain(tokens[at - 1] === '{' ? '}' : ' }');
    if (token === ',' || token === ':') return plain(`${token} `);
    return token === '[' || token === ']' ? plain(token) : coloured(token, tokens[at + 1]);
  });
}

/** Returns the line with its leading spaces, in parts of at most LONGEST characters. */
function divided(line: CodeLine, spaces: string): CodeLine[] {
  const [first] = line.pieces;
  const pieces =
    spaces === ''
      ? line.pieces
      : first?.kind === 'plain'
        ? [plain(spaces + first.text), ...line.pieces.slice(1)]
        : [plain(spaces), ...line.pieces];
  if (lineText({ ...line, pieces }).length <= LONGEST) return [{ ...line, pieces }];
  const parts: ColouredPiece[][] = [[]];
  let room = LONGEST;
  for (const { text, kind } of pieces) {
    let from = 0;
    while (from < text.length) {
      let to = Math.min(text.length, from + room);
      // Keep the two halves of a surrogate pair together.
      if (to < text.length && /[\uD800-\uDBFF]/.test(text[to - 1] ?? '')) to -= 1;
      if (to > from) parts.at(-1)?.push({ text: text.slice(from, to), kind });
      room -= to - from;
      from = to;
      if (room <= 1 && from < text.length) {
        parts.push([]);
        room = LONGEST;
      }
    }
  }
  return parts.map((part, at) =>
    at === 0 ? { ...line, pieces: part } : { number: undefined, indent: line.indent, pieces: part },
  );
}
