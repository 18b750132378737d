/** The fault of an expression; for one in the braces of a template also how it is written rightly. */
export const withWayOut = (expression: string, reason: string): string =>
  /^\s*\{\{[^]*\}\}\s*$/.test(expression)
    ? `is an expression by itself, and no template: leave out "{{" and "}}" (${reason})`
    : reason;
