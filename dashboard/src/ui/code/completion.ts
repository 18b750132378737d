/** What is being typed at the cursor. */
type CompletionPlace = {
  text: string;
  at: number;
  /** The part of the name typed so far: `event.payload.or`. */
  word: string;
  /** Whether the user asked for it with Ctrl+Space. Otherwise it appears while typing. */
  isAsked: boolean;
};

export type CodeCompletion = {
  label: string;
  /** Shown after the label: the type of a field, or an example. */
  detail?: string;
  /** The text to insert, if it is not the label. */
  apply?: string;
};

export type Completions = (place: CompletionPlace) => readonly CodeCompletion[] | Promise<readonly CodeCompletion[]>;

export type CodeLanguage = 'json' | 'cel' | 'template' | 'text';

/** Where a completion is inserted. */
type Place = {
  from: number;
  word: string;
  /** Text to insert around it, so that a template is closed and has its spaces. */
  before: '' | ' ';
  after: '' | ' ' | ' }}';
};

const WORD = /[A-Za-z_][\w.[\]"'-]*$/;
const OPEN = '{{';
const CLOSE = '}}';

/**
 * Returns the name being typed at a position: anywhere in an expression, and only between braces in all other
 * languages.
 */
export function completionPlace(language: CodeLanguage, text: string, at: number): Place | undefined {
  const line = text.lastIndexOf('\n', at - 1) + 1;
  if (language === 'cel') {
    const word = WORD.exec(text.slice(line, at))?.[0] ?? '';
    return isInQuotes(text.slice(line, at - word.length))
      ? undefined
      : { from: at - word.length, word, before: '', after: '' };
  }
  if (language === 'text') return undefined;
  const opened = text.slice(line, at).lastIndexOf(OPEN);
  if (opened === -1) return undefined;
  const inside = text.slice(line + opened + OPEN.length, at);
  if (inside.includes(CLOSE)) return undefined;
  const word = WORD.exec(inside)?.[0] ?? '';
  const end = text.indexOf('\n', at);
  const behind = text.slice(at, end === -1 ? undefined : end);
  const [closed, next] = [behind.indexOf(CLOSE), behind.indexOf(OPEN)];
  const isClosed = closed !== -1 && (next === -1 || closed < next);
  return {
    from: at - word.length,
    word,
    before: inside === word ? ' ' : '',
    after: isClosed ? (closed === 0 ? ' ' : '') : ' }}',
  };
}

function isInQuotes(text: string): boolean {
  let quote: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (quote !== undefined && sign === '\\') at += 1;
    else if (quote !== undefined) quote = sign === quote ? undefined : quote;
    else if (sign === '"' || sign === "'") quote = sign;
  }
  return quote !== undefined;
}
