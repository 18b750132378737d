/** A text that a person reads. `line` is where it begins, from 1. */
export type Text = { kind: 'prose' | 'cell' | 'heading' | 'comment' | 'title' | 'string'; line: number; text: string };

const LIST_ITEM = /^\s*(?:[-*]|\d+\.)\s+/;
const TABLE_RULE = /^\s*\|?\s*:?-{3,}/;

/** Cells of a table's row. An escaped bar belongs to its cell. */
const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/** Paragraphs, list items, cells and headings of a Markdown page. Code blocks are left out. */
function textsOfPage(page: string): Text[] {
  const texts: Text[] = [];
  let paragraph: Text | undefined;
  let isCode = false;
  page.split('\n').forEach((raw, index) => {
    const line = index + 1;
    const isFence = /^\s*```/.test(raw);
    if (isFence) isCode = !isCode;
    if (isFence || isCode || raw.trim() === '' || TABLE_RULE.test(raw)) {
      paragraph = undefined;
    } else if (/^\s*\|/.test(raw)) {
      paragraph = undefined;
      texts.push(...cellsOf(raw).map((text): Text => ({ kind: 'cell', line, text })));
    } else if (/^#+ /.test(raw)) {
      paragraph = undefined;
      texts.push({ kind: 'heading', line, text: raw.replace(/^#+ /, '') });
    } else if (paragraph === undefined || LIST_ITEM.test(raw)) {
      paragraph = { kind: 'prose', line, text: raw.replace(LIST_ITEM, '').trim() };
      texts.push(paragraph);
    } else {
      paragraph.text += ` ${raw.trim()}`;
    }
  });
  return texts;
}

type CommentLine = { text: string; isAlone: boolean };

/** A line's comment without its marks; nothing for a line of code. */
function commentOf(raw: string, isInBlock: boolean, mark: string): CommentLine | undefined {
  if (isInBlock) return { text: raw.replace(/\*\/.*$/, '').replace(/^\s*\* ?/, ''), isAlone: true };
  const block = mark === '//' ? /^\s*\/\*+ ?(.*?)(?:\*\/.*)?$/.exec(raw) : null;
  const alone = block ?? new RegExp(`^\\s*${mark}+ ?(.*)$`).exec(raw);
  if (alone !== null) return { text: alone[1] ?? '', isAlone: true };
  const behindCode = new RegExp(`\\s${mark} (.*)$`).exec(raw);
  return behindCode === null ? undefined : { text: behindCode[1] ?? '', isAlone: false };
}

/** Comments of a source, with neighbouring lines joined. `mark` begins a comment of one line. */
function commentsOf(source: string, mark: '//' | '--' | '#'): Text[] {
  const texts: Text[] = [];
  let paragraph: Text | undefined;
  let isInBlock = false;
  source.split('\n').forEach((raw, index) => {
    const comment = commentOf(raw, isInBlock, mark);
    const ends = raw.includes('*/');
    if (mark === '//' && (isInBlock || /^\s*\/\*/.test(raw))) isInBlock = !ends;
    const text = comment?.text.trim() ?? '';
    if (comment === undefined || text === '' || !comment.isAlone || LIST_ITEM.test(text)) paragraph = undefined;
    if (comment === undefined || text === '') return;
    if (paragraph === undefined) {
      paragraph = { kind: 'comment', line: index + 1, text: text.replace(LIST_ITEM, '') };
      texts.push(paragraph);
    } else {
      paragraph.text += ` ${text}`;
    }
    if (!comment.isAlone || ends) paragraph = undefined;
  });
  return texts;
}

/** Titles of tests, and strings that begin like a sentence: log lines, error texts, descriptions. */
function stringsOf(source: string): Text[] {
  return source.split('\n').flatMap((raw, index): Text[] => {
    const line = index + 1;
    const title =
      /\b(?:test|describe)(?:\.each\(.*\))?\(\s*(['"`])(.*?)(?<!\\)\1/.exec(raw) ??
      /^\s*\]\)\((['"`])(.*?)(?<!\\)\1/.exec(raw);
    if (title !== null) return [{ kind: 'title', line, text: title[2] ?? '' }];
    return Array.from(
      raw.matchAll(/(['"`])([A-Z][a-z]+ .*?)(?<!\\)\1/g),
      ([, , text = '']): Text => ({
        kind: 'string',
        line,
        text,
      }),
    );
  });
}

/** Every text of a file that a person reads, by the kind of the file. */
export function textsOf(path: string, content: string): Text[] {
  if (path.endsWith('.md')) return textsOfPage(content);
  if (path.endsWith('.sql')) return commentsOf(content, '--');
  if (/\.(tsx?|js|go|prisma)$/.test(path)) return [...commentsOf(content, '//'), ...stringsOf(content)];
  return commentsOf(content, '#');
}

/** Sentences of a text. Neither a colon nor a semicolon ends one. */
export const sentencesOf = (text: string): string[] =>
  text.split(/(?<=[.!?]["')*_`]*)\s+(?=["'(*_`[]*[\p{Lu}\p{N}`])/u).filter((sentence) => sentence.trim() !== '');

const REFUSED = ['What', 'Whoever', 'Those', 'Of', 'It'] as const;

/** The word that may not begin this sentence, if it does. Titles of tests begin with a small letter. */
export function refusedBeginning(kind: Text['kind'], sentence: string): string | undefined {
  const [, first = ''] = /^["'(*_`[]*(\p{L}+)\b/u.exec(sentence) ?? [];
  return REFUSED.find((word) => word === first || (kind === 'title' && word.toLowerCase() === first));
}

/** Words of a sentence. A piece of code is one word, the target of a link is none. */
const wordsOf = (sentence: string): string[] =>
  sentence
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word));

/**
 * Words of the page's mean sentence. Headings are left out. A cell counts when it is longer than `limit`: hundreds of
 * short cells would hide long paragraphs, and a long paragraph cannot hide in a cell.
 */
export function meanSentence(page: string, limit: number): number {
  const lengths = textsOfPage(page)
    .filter(({ kind }) => kind !== 'heading')
    .flatMap(({ kind, text }) =>
      sentencesOf(text)
        .map((sentence) => wordsOf(sentence).length)
        .filter((words) => words > (kind === 'cell' ? limit : 0)),
    );
  return lengths.length === 0 ? 0 : lengths.reduce((sum, words) => sum + words, 0) / lengths.length;
}
