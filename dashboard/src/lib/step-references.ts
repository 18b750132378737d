/**
 * Renames steps in expressions (docs/reference/workflow-definition.md) token by token: quoted texts and members of
 * other things stay as they are.
 */

const TOKEN = /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z_]\w*|\.\?|\[\?|\s+|[\s\S]/g;
const NAME = /^[A-Za-z_]\w*$/;
const isQuoted = (token: string | undefined): token is string => token !== undefined && /^["']/.test(token);

/** Returns an expression in which a step has another id. */
export function renamedInExpression(expression: string, before: string, after: string): string {
  const tokens = expression.match(TOKEN) ?? [];
  const beside = (at: number, way: 1 | -1): number => {
    let place = at + way;
    while (tokens[place]?.trim() === '') place += way;
    return place;
  };
  for (const [at, token] of tokens.entries()) {
    const previous = beside(at, -1);
    if (token !== 'steps' || tokens[previous] === '.' || tokens[previous] === '.?') continue;
    const sign = beside(at, 1);
    const name = beside(sign, 1);
    const given = tokens[name];
    if (tokens[sign] === '[' || tokens[sign] === '[?') {
      if (isQuoted(given) && given.slice(1, -1) === before) tokens[name] = JSON.stringify(after);
      continue;
    }
    if ((tokens[sign] !== '.' && tokens[sign] !== '.?') || given !== before) continue;
    if (NAME.test(after)) {
      tokens[name] = after;
      continue;
    }
    const [has, end] = [beside(previous, -1), beside(name, 1)];
    // `has` does not allow brackets.
    const isAsked = tokens[previous] === '(' && tokens[has] === 'has' && tokens[end] === ')';
    tokens[sign] = tokens[sign] === '.?' || isAsked ? '[?' : '[';
    tokens[name] = `${JSON.stringify(after)}]`;
    if (isAsked) {
      tokens[has] = '';
      tokens[previous] = '';
      tokens[end] = '.hasValue()';
    }
  }
  return tokens.join('');
}

/** Renames the step in each `{{ expression }}` of a text. */
export function renamedInTemplate(text: string, before: string, after: string): string {
  let renamed = '';
  let rest = text;
  for (let begin = rest.indexOf('{{'); begin !== -1; begin = rest.indexOf('{{')) {
    const inside = rest.slice(begin + 2);
    const end = endOf(inside);
    if (end === undefined) break;
    renamed += `${rest.slice(0, begin)}{{${renamedInExpression(inside.slice(0, end), before, after)}}}`;
    rest = inside.slice(end + 2);
  }
  return renamed + rest;
}

/** Returns the position of the brackets that close an expression, skipping those in quotes and those of a map. */
function endOf(text: string): number | undefined {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === '{') depth += 1;
    else if (token === '}' && depth > 0) depth -= 1;
    else if (token === '}' && text[index + 1] === '}') return index;
  }
  return undefined;
}
