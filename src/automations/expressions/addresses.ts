import { ExpressionFailed } from './expressions.ts';
import { type TemplatePiece, piecesOf } from './templates.ts';

/** Scheme, host and port, and the character after them; what follows cannot change them. */
const ORIGIN = /^https?:\/\/[^\s/?#\\@]+[/?#]/i;
/** Path segments that clients interpret as navigation or drop: `/orders/` is a different resource than `/orders/7`. */
const NO_PART = /^(?:\.|%2e){0,2}$/i;
/** Marks each value while an address is assembled. Neither definitions nor messages can contain it. */
const MARK = '\0';

// Servers and proxies accept at most 8 to 64 KiB.
const MAX_LENGTH = 65_536;

type ValueOf = (expression: string) => string;

/** Whether the origin of an address is literal, so that no value can change the host or port. */
export function hasWrittenOrigin(template: string): boolean {
  const [first, ...others] = piecesOf(template);
  return first !== undefined && 'text' in first && (others.length === 0 || ORIGIN.test(first.text));
}

/**
 * Fills values into an address. After the origin each value is percent-encoded as one part of the path or query; before
 * its end, values are inserted unchanged. Throws ExpressionFailed for a value that would navigate in the path or be
 * empty in it.
 */
export const filledAddress = (template: string, valueOf: ValueOf): string =>
  filled(piecesOf(template), valueOf, (before) => ORIGIN.test(before));

/** Fills values into a path in the same way. */
export const filledPath = (template: string, valueOf: ValueOf): string =>
  filled(piecesOf(template), valueOf, () => true);

function filled(pieces: readonly TemplatePiece[], valueOf: ValueOf, isPart: (before: string) => boolean): string {
  let marked = '';
  for (const piece of pieces) {
    const text = 'text' in piece ? piece.text : valueOf(piece.expression.trim());
    if (marked.length + text.length > MAX_LENGTH)
      throw new ExpressionFailed(`an address can have at most ${MAX_LENGTH} characters`);
    if ('text' in piece) marked += text;
    else marked += isPart(marked) ? MARK + encoded(text) : text;
  }
  requireParts(marked);
  return marked.replaceAll(MARK, '');
}

/** Checks the path segments that contain values. */
function requireParts(marked: string): void {
  const [path = ''] = marked.replace(ORIGIN, '/').split(/[?#]/);
  // Clients read \ as / and drop tabs and line breaks.
  const parts = path.replaceAll(/[\t\n\r]/g, '').split(/[/\\]/);
  if (parts.some((part) => part.includes(MARK) && NO_PART.test(part.replaceAll(MARK, ''))))
    throw new ExpressionFailed('a value in the path must not be empty, . or ..');
}

function encoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    throw new ExpressionFailed('a value has a lone surrogate, which cannot be part of an address');
  }
}
