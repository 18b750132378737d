const OF_THE_MESSAGE: ReadonlySet<string> = new Set(['eventType', 'channelId', 'payload', 'metadata', 'publishedAt']);

/** The fault of an expression; for the usual slips also how it is written rightly. */
export function withWayOut(expression: string, reason: string): string {
  if (/^\s*\{\{[^]*\}\}\s*$/.test(expression))
    return `is an expression by itself, and no template: leave out "{{" and "}}" (${reason})`;
  // Filters read the payload without `event`, so that authors write it in steps, too.
  const unknown = /Unknown variable: (\w+)$/.exec(reason)?.[1];
  if (unknown !== undefined && OF_THE_MESSAGE.has(unknown)) return `${reason}; in a step it is event.${unknown}`;
  return reason.endsWith('Unexpected character: =') ? `${reason}; equality is written ==` : reason;
}
