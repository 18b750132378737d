import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A fenced block of a page, without its fences. `line` is where its text begins, from 1. */
export type CodeBlock = { page: string; language: string; line: number; text: string };

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** README.md and every page of docs and its folders, relative to the root. */
export const PAGES = [
  'README.md',
  ...readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .toSorted(),
];

export const readPage = (page: string): string => readFileSync(ROOT + page, 'utf8');

/** Every code block of the page, in its order. */
export function codeBlocksOf(page: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: CodeBlock | undefined;
  readPage(page)
    .split('\n')
    .forEach((text, index) => {
      if (!text.startsWith('```')) {
        if (open !== undefined) open.text += `${text}\n`;
      } else if (open === undefined) {
        open = { page, language: text.slice(3).trim(), line: index + 2, text: '' };
      } else {
        blocks.push(open);
        open = undefined;
      }
    });
  if (open !== undefined) throw new Error(`${page}:${open.line} begins a code block that does not end`);
  return blocks;
}

/** Text of the one block of the page that has these words. */
export function blockWith(page: string, words: string): string {
  const [block, other] = codeBlocksOf(page).filter(({ text }) => text.includes(words));
  if (block === undefined || other !== undefined) throw new Error(`${page} has not one block with "${words}"`);
  return block.text;
}

/** Rows of the page's tables, or of one section's: their cells, trimmed. Rules and headers are left out. */
export function tableRowsOf(page: string, section?: string): string[][] {
  const text = readPage(page);
  const [, ofSection] = section === undefined ? [] : text.split(`\n## ${section}\n`);
  const lines = (section === undefined ? text : (ofSection?.split('\n## ')[0] ?? '')).split('\n');
  return lines
    .filter((line, index) => line.startsWith('| ') && !(lines[index + 1] ?? '').startsWith('|---'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}
