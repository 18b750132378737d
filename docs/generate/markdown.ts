/** A Markdown table. Pipes in cells are escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** A page of these parts. The comment tells an editor where to change it; renderers hide it. */
export const page = (source: string, ...parts: readonly string[]): string =>
  `${[`<!-- Written by npm run generate:docs from ${source}. -->`, ...parts.map((part) => part.trim())].join('\n\n')}\n`;

export const code = (text: string): string => `\`${text}\``;
