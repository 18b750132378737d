/** The fault of an expression; for the usual slips also how it is written rightly. */
export function withWayOut(expression: string, reason: string): string {
  if (/^\s*\{\{[^]*\}\}\s*$/.test(expression))
    return `is an expression by itself, and no template: leave out "{{" and "}}" (${reason})`;
  return reason.endsWith('Unexpected character: =') ? `${reason}; equality is written ==` : reason;
}
