import { ExpressionFailed } from './expressions.ts';
import { type TemplatePiece, piecesOf } from './templates.ts';

/** Scheme, host and port, and the character that ends them: what follows cannot change them any more. */
const ORIGIN = /^https?:\/\/[^\s/?#\\@]+[/?#]/i;
/** Parts of a path that a client takes for steps, or that are none: `/orders/` is another resource than `/orders/7`. */
const NO_PART = /^(?:\.|%2e){0,2}$/i;
/** Stands before each value while an address is put together. Neither a definition nor a message can hold it. */
const MARK = '\0';

// Servers and proxies take 8 to 64 KiB at most.
const MAX_LENGTH = 65_536;

type ValueOf = (expression: string) => string;

/** Whether an author has written out where a request goes, so that no value can lead it to another host or port. */
export function hasWrittenOrigin(template: string): boolean {
  const [first, ...others] = piecesOf(template);
  return first !== undefined && 'text' in first && (others.length === 0 || ORIGIN.test(first.text));
}

/**
 * An address with its values. Behind the origin each value is percent-encoded, as one part of the path or of the query; before its end
 * values are put in as they are. Throws ExpressionFailed for a value that would be a step in the path, or no part of it.
 */
export const filledAddress = (template: string, valueOf: ValueOf): string =>
  filled(piecesOf(template), valueOf, (before) => ORIGIN.test(before));

/** A path with its values in the same way. */
export const filledPath = (template: string, valueOf: ValueOf): string =>
  filled(piecesOf(template), valueOf, () => true);

function filled(pieces: readonly TemplatePiece[], valueOf: ValueOf, isPart: (before: string) => boolean): string {
  let marked = '';
  for (const piece of pieces) {
    const text = 'text' in piece ? piece.text : valueOf(piece.expression.trim());
    if (marked.length + text.length > MAX_LENGTH)
      throw new ExpressionFailed(`an address may have ${MAX_LENGTH} characters`);
    if ('text' in piece) marked += text;
    else marked += isPart(marked) ? MARK + encoded(text) : text;
  }
  requireParts(marked);
  return marked.replaceAll(MARK, '');
}

/** Parts of the path that have a value in them. */
function requireParts(marked: string): void {
  const [path = ''] = marked.replace(ORIGIN, '/').split(/[?#]/);
  // A client reads \ as /, and drops tabs and line breaks.
  const parts = path.replaceAll(/[\t\n\r]/g, '').split(/[/\\]/);
  if (parts.some((part) => part.includes(MARK) && NO_PART.test(part.replaceAll(MARK, ''))))
    throw new ExpressionFailed('a value is empty, . or .. where a part of the path stands');
}

function encoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    throw new ExpressionFailed('a value holds half a character, which no address can');
  }
}
