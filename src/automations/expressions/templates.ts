/** A piece of a text with templates: literal text, or an expression with the position of its first character. */
export type TemplatePiece = { text: string } | { expression: string; at: number };

/**
 * Splits a text that may have `{{ CEL }}` into pieces. Throws an Error if one is not closed. Quotes and map brackets
 * inside an expression do not end it.
 */
export function piecesOf(text: string): readonly TemplatePiece[] {
  const pieces: TemplatePiece[] = [];
  let at = 0;
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', at)) {
    const close = endOfExpression(text, open + 2);
    if (close === undefined) throw new Error(`"{{" at character ${open + 1} is not closed by "}}"`);
    if (open > at) pieces.push({ text: text.slice(at, open) });
    pieces.push({ expression: text.slice(open + 2, close), at: open + 2 });
    at = close + 2;
  }
  if (at < text.length || pieces.length === 0) pieces.push({ text: text.slice(at) });
  return pieces;
}

/** Returns the position of the brackets that close the expression starting at `from`. */
function endOfExpression(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"' || character === "'") at = endOfQuoted(text, at, character);
    else if (character === '{') depth += 1;
    else if (character === '}' && depth > 0) depth -= 1;
    else if (character === '}' && text[at + 1] === '}') return at;
  }
  return undefined;
}

function endOfQuoted(text: string, open: number, quote: string): number {
  let at = open + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** Returns the name of a secret if the expression is only `secrets.NAME`. */
export function secretIn(expression: string): string | undefined {
  return /^\s*secrets\.([A-Za-z_][A-Za-z0-9_]{0,63})\s*$/.exec(expression)?.[1];
}

/** Returns the distinct expressions of all templates in a value, without secrets and without invalid templates. */
export function expressionsIn(value: unknown): string[] {
  const found = new Set<string>();
  // Does not use textsOf, whose generators and paths take ten times as long: a definition of 240 KB can have 80,000
  // objects without a string.
  const look = (part: unknown): void => {
    if (typeof part === 'string') {
      for (const piece of goodPieces(part))
        if ('expression' in piece && secretIn(piece.expression) === undefined) found.add(piece.expression.trim());
    } else if (Array.isArray(part)) part.forEach(look);
    else if (typeof part === 'object' && part !== null) Object.values(part).forEach(look);
  };
  look(value);
  return [...found];
}

function goodPieces(text: string): readonly TemplatePiece[] {
  try {
    return piecesOf(text);
  } catch {
    return [];
  }
}

/** Yields all strings of a template with their paths, such as `body.items[0].name`; keys are not templates. */
export function* textsOf(template: unknown, path: string): Generator<{ path: string; text: string }> {
  if (typeof template === 'string') yield { path, text: template };
  else if (Array.isArray(template))
    for (const [index, item] of template.entries()) yield* textsOf(item, `${path}[${index}]`);
  else if (typeof template === 'object' && template !== null)
    for (const [key, member] of Object.entries(template)) yield* textsOf(member, `${path}.${key}`);
}
