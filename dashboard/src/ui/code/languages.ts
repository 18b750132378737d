import { json } from '@codemirror/lang-json';
import { type LanguageSupport, StreamLanguage, type StringStream } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import type { CodeLanguage } from './completion.ts';

const ATOMS = /^(?:true|false|null|in)$/;

/** One token of a CEL expression. */
function celToken(stream: StringStream): string | null {
  if (stream.eatSpace()) return null;
  if (stream.match(/^[rb]?"(?:[^"\\]|\\.)*"?/i) !== null || stream.match(/^[rb]?'(?:[^'\\]|\\.)*'?/i) !== null)
    return 'string';
  if (stream.match(/^(?:0x[\da-f]+|\d+(?:\.\d+)?(?:e[-+]?\d+)?)u?/i) !== null) return 'number';
  if (stream.match(/^[A-Za-z_]\w*/) !== null) {
    if (ATOMS.test(stream.current())) return 'atom';
    return stream.peek() === '(' ? 'keyword' : 'variableName';
  }
  if (stream.match(/^(?:&&|\|\||[=!<>]=|[-+*/%<>!?:])/) !== null) return 'operator';
  stream.next();
  return null;
}

const LANGUAGE_DATA = { closeBrackets: { brackets: ['(', '[', '{', '"', "'"] } };

const cel = StreamLanguage.define<undefined>({ name: 'cel', token: celToken, languageData: LANGUAGE_DATA });

/** Text with expressions between `{{` and `}}`. */
const template = StreamLanguage.define<{ isAdmitted: boolean }>({
  name: 'template',
  startState: () => ({ isAdmitted: false }),
  token(stream, state) {
    if (state.isAdmitted) {
      if (stream.match('}}') === null) return celToken(stream);
      state.isAdmitted = false;
      return 'atom';
    }
    if (stream.match('{{') !== null) {
      state.isAdmitted = true;
      return 'atom';
    }
    while (!stream.eol() && stream.match('{{', false) === null) stream.next();
    return null;
  },
  languageData: { closeBrackets: { brackets: ['{'] } },
});

const LANGUAGES: Readonly<Record<CodeLanguage, () => Extension | LanguageSupport>> = {
  json,
  cel: () => cel,
  template: () => template,
  text: () => [],
};

export const languageOf = (language: CodeLanguage): Extension => LANGUAGES[language]();
