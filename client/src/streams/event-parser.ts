/** A server-sent event. Events without data are not passed on, but their ids are positions to resume from. */
export type ServerEvent = { id: string | undefined; data: string | undefined; retryMs: number | undefined };

/**
 * Parses server-sent events (WHATWG HTML §9.2.6) from chunks of text: lines end in LF, CR or both, and a chunk may end
 * anywhere. Returns the complete events.
 */
export function createEventParser(): (text: string) => ServerEvent[] {
  let rest = '';
  let endedInCr = false;
  let isFirst = true;
  let id: string | undefined;
  let data: string[] = [];
  let retryMs: number | undefined;

  const take = (line: string, events: ServerEvent[]): void => {
    if (line === '') {
      if (id !== undefined || retryMs !== undefined || data.length > 0)
        events.push({ id, data: data.length === 0 ? undefined : data.join('\n'), retryMs });
      id = undefined;
      retryMs = undefined;
      data = [];
      return;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'id' && !value.includes('\0')) id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) retryMs = Number(value);
  };

  return (text) => {
    const events: ServerEvent[] = [];
    let added = isFirst ? text.replace(/^\uFEFF/, '') : text;
    if (text !== '') isFirst = false;
    // A CR at the end of one chunk and a LF at the beginning of the next are one line ending.
    if (endedInCr && added !== '') added = added.replace(/^\n/, '');
    if (text !== '') endedInCr = text.endsWith('\r');
    const lines = (rest + added).split(/\r\n|\r|\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) take(line, events);
    return events;
  };
}
