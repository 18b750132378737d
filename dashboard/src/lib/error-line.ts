/** Members of a JSON response that describe an error, the most informative first. */
const MEMBERS = ['message', 'detail', 'error_description', 'title', 'error', 'reason'] as const;
const MOST = 160;

/**
 * Returns what the body of a failed response says, in one line: its message, or else its first line. Returns undefined
 * for an empty body and for HTML.
 */
export function errorLine(body: string): string | undefined {
  const text = messageIn(body) ?? body.trim().split('\n')[0]?.trim() ?? '';
  if (text === '' || text.startsWith('<')) return undefined;
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}

function messageIn(body: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  return messageOf(value);
}

function messageOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const members = new Map<string, unknown>(Object.entries(value));
  for (const name of MEMBERS) {
    const found: unknown = members.get(name);
    const text = typeof found === 'string' ? found.trim() : messageOf(found);
    if (text !== undefined && text !== '') return text;
  }
  return undefined;
}
