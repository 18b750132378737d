import clsx from 'clsx';
import { CircleAlert } from 'lucide-react';
import { type CSSProperties, lazy, type ReactNode, type Ref, Suspense, useImperativeHandle, useRef } from 'react';
import { Field, type FieldGiven } from '../field.tsx';
import { Icon } from '../icon.tsx';
import type { CodeLanguage, Completions } from './completion.ts';
import type { EditorHandle } from './editor.tsx';
import type { CodeProblem } from './editor-problems.ts';

/** CodeMirror is larger than a page, so it is loaded with the first editor. */
const Editor = lazy(() => import('./editor.tsx'));

export type CodeEditorHandle = Pick<EditorHandle, 'focus' | 'goTo'>;

export type CodeEditorGiven = FieldGiven & {
  value: string;
  onChange: (value: string) => void;
  language: CodeLanguage;
  /** One line without line numbers: Enter submits, and pasted lines become one. */
  isSingleLine?: boolean;
  onSubmit?: () => void;
  placeholder?: string;
  /** `fill`: as high as its container. If absent: as high as its text, from `minLines` to `maxLines`. */
  height?: 'fill';
  minLines?: number;
  maxLines?: number;
  /** `bare`: without a border, a label or a list of problems, for a page that is an editor. */
  look?: 'field' | 'bare';
  hasLineNumbers?: boolean;
  problems?: readonly CodeProblem[];
  /** Completions at a position. In templates, names are completed only between `{{` and `}}`. */
  completions?: Completions;
  isReadOnly?: boolean;
  hasFocus?: boolean;
  /** Its name in the form data. */
  name?: string;
  beside?: ReactNode;
  ref?: Ref<CodeEditorHandle>;
};

const LINE_PX = 18;
/** Problems that are listed below. */
const MOST_LISTED = 3;
const NO_PROBLEMS: readonly CodeProblem[] = [];

/** An editor for JSON, an expression, a template or text, with problems marked in the text and listed below. */
export function CodeEditor({
  value,
  onChange,
  language,
  isSingleLine = false,
  onSubmit,
  placeholder = '',
  height,
  minLines = isSingleLine ? 1 : 4,
  maxLines = 24,
  look = 'field',
  hasLineNumbers = language === 'json' && !isSingleLine,
  problems = NO_PROBLEMS,
  completions,
  isReadOnly = false,
  hasFocus = false,
  name,
  beside,
  ref,
  ...field
}: CodeEditorGiven) {
  const editor = useRef<EditorHandle>(null);
  useImperativeHandle(ref, () => ({
    focus: () => editor.current?.focus(),
    goTo: (problem) => editor.current?.goTo(problem),
  }));
  const { label, hint, isHintKept = false, error, isDisabled = false } = field;
  const isInvalid = error !== undefined || problems.length > 0;
  const wrong = error ?? problems.map(saidOf).join('. ');
  const help = typeof hint === 'string' && (wrong === '' || isHintKept) ? hint : '';
  const said = [wrong, help].filter((each) => each !== '').join('. ');
  const pad = isSingleLine ? 12 : 16;
  const size = {
    '--editor-min': `${minLines * LINE_PX + pad}px`,
    ...(height === undefined && { '--editor-max': `${maxLines * LINE_PX + pad}px` }),
  };
  const text = clsx('mono block min-w-0 grow [font-variant-ligatures:none]', height === 'fill' && 'h-full');
  const shown = (
    <div
      // `as`: React's types do not include custom properties.
      style={size as CSSProperties}
      className={clsx(
        'flex min-w-0',
        height === 'fill' && 'h-full min-h-0',
        isSingleLine || language !== 'json' ? 'bg-surface' : 'bg-sunken',
        isDisabled && 'opacity-60',
        look === 'field' && 'rounded-6 border focus-within:border-focus focus-within:ring-1 focus-within:ring-focus',
        look === 'field' && (isInvalid ? 'border-failed ring-1 ring-failed' : 'border-line-input'),
        isSingleLine && 'min-h-control items-center',
      )}
    >
      <Suspense
        fallback={
          <Plain
            value={value}
            className={clsx(text, hasLineNumbers ? 'pl-11' : 'px-2.25')}
            isSingleLine={isSingleLine}
          />
        }
      >
        <Editor
          value={value}
          onChange={onChange}
          language={language}
          label={label}
          description={said}
          isInvalid={isInvalid}
          isReadOnly={isReadOnly || isDisabled}
          isSingleLine={isSingleLine}
          hasLineNumbers={hasLineNumbers}
          hasFocus={hasFocus}
          placeholder={placeholder}
          problems={problems}
          completions={completions}
          onSubmit={onSubmit}
          handle={editor}
          className={text}
        />
      </Suspense>
      {name !== undefined && <input type="hidden" name={name} value={value} disabled={isDisabled} />}
    </div>
  );
  if (look === 'bare') return shown;
  return (
    <Field
      {...field}
      {...(problems.length > 0 && error === undefined && !isHintKept && { hint: undefined })}
      beside={beside}
      onLabelClick={() => editor.current?.focus()}
    >
      {shown}
      {error === undefined && (
        <Problems
          problems={problems}
          hasLines={!isSingleLine}
          onGo={(problem) => editor.current?.goTo(problem)}
          {...(!isReadOnly && !isDisabled && { onMend: (problem) => editor.current?.mend(problem) })}
        />
      )}
    </Field>
  );
}

const saidOf = ({ message, line, fix }: CodeProblem): string =>
  `${line === undefined ? '' : `Line ${line}: `}${message}${fix === undefined ? '' : `. Did you mean ${fix}?`}`;

/** The problems, each with a link to its position and a suggestion. */
function Problems({
  problems,
  hasLines,
  onGo,
  onMend,
}: {
  problems: readonly CodeProblem[];
  hasLines: boolean;
  onGo: (problem: CodeProblem) => void;
  onMend?: (problem: CodeProblem) => void;
}) {
  const link = 'rounded-4 text-accent underline-offset-2 hover:underline';
  const more = problems.length - MOST_LISTED;
  return (
    <ul
      aria-live="polite"
      className={clsx('flex flex-col gap-0.75 text-12 text-failed', problems.length > 0 && 'mt-1.25')}
    >
      {problems.slice(0, MOST_LISTED).map((problem, at) => (
        <li key={at} className="flex items-start gap-1.25">
          <Icon of={CircleAlert} isSmall className="mt-px" />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            {hasLines && problem.line !== undefined && (
              <>
                <button type="button" className={link} onClick={() => onGo(problem)}>
                  Line {problem.line}
                </button>
                :{' '}
              </>
            )}
            {problem.message}
            {problem.fix !== undefined && onMend !== undefined && (
              <>
                . Did you mean{' '}
                <button type="button" className={link} onClick={() => onMend(problem)}>
                  {problem.fix}
                </button>
                ?
              </>
            )}
          </span>
        </li>
      ))}
      {more > 0 && (
        <li className="pl-4.75">
          {more} more {more === 1 ? 'problem' : 'problems'}
        </li>
      )}
    </ul>
  );
}

/** The text while the editor is loading, laid out so that nothing moves when it arrives. */
const Plain = ({ value, className, isSingleLine }: { value: string; className: string; isSingleLine: boolean }) => (
  <pre
    aria-busy="true"
    className={clsx(
      'min-h-(--editor-min) overflow-hidden',
      isSingleLine ? 'py-1.5 whitespace-pre' : 'max-h-(--editor-max) py-2 whitespace-pre-wrap',
      className,
    )}
  >
    {value}
  </pre>
);
