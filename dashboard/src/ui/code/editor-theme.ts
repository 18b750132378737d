import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const FONT = { fontFamily: 'inherit', fontSize: 'inherit', lineHeight: 'inherit' };
const BUTTON = {
  font: '530 12px/16px var(--font-sans)',
  color: 'var(--text)',
  background: 'var(--raised)',
  border: '1px solid var(--line-strong)',
  borderRadius: '6px',
  padding: '3px 8px',
  margin: '0',
};

/**
 * Colours of the theme.css tokens: custom properties are inherited into the shadow root, and nothing else of the page's
 * style is.
 */
const theme = EditorView.theme({
  '&': { ...FONT, color: 'var(--text)', height: '100%', letterSpacing: 'inherit' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { ...FONT, maxHeight: 'var(--editor-max)', overflow: 'auto', scrollbarWidth: 'thin' },
  '.cm-content': {
    padding: '8px 0',
    caretColor: 'var(--text)',
    minHeight: 'var(--editor-min)',
    boxSizing: 'border-box',
  },
  '.cm-line': { padding: '0 12px 0 2px' },
  '&.is-single .cm-content': { padding: '6px 0' },
  '&.is-single .cm-scroller': { scrollbarWidth: 'none' },
  '&.is-single .cm-line, &.is-plain .cm-line': { padding: '0 9px' },
  '.cm-content ::selection, .cm-line::selection': {
    background: 'color-mix(in srgb, var(--accent) 26%, transparent) !important',
  },
  '.cm-placeholder': { color: 'var(--text-3)' },
  '.cm-gutters': { background: 'transparent', border: 'none', color: 'var(--text-3)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '26px', padding: '0' },
  '.cm-foldGutter .cm-gutterElement': { width: '14px', display: 'grid', placeItems: 'center' },
  '.cm-foldGutter .is-open': { opacity: '0' },
  '&:hover .cm-foldGutter .is-open': { opacity: '1' },
  '.cm-foldPlaceholder': {
    background: 'var(--pressed)',
    border: 'none',
    borderRadius: '4px',
    color: 'var(--text-2)',
    padding: '0 4px',
    margin: '0 2px',
  },
  '.cm-activeLineGutter': { background: 'transparent' },
  '.cm-matchingBracket': { background: 'none' },
  '&.cm-focused .cm-matchingBracket': { background: 'var(--pressed)' },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': { background: 'transparent' },
  '.cm-searchMatch': { background: 'var(--accent-soft)', outline: '1px solid var(--accent)', borderRadius: '2px' },
  '.cm-searchMatch-selected': { background: 'var(--accent-fill)' },
  '.cm-searchMatch-selected, .cm-searchMatch-selected *': { color: 'var(--on-fill)' },

  // Those of @codemirror/lint are images in `data:` URLs, which the content security policy blocks.
  '.cm-lintRange': { backgroundImage: 'none', paddingBottom: '0' },
  '.cm-lintRange-error, .cm-lintRange-active': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--failed-solid) 1px',
    textDecorationSkipInk: 'none',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-active': { background: 'none' },
  '.cm-lintRange.is-line': { textDecoration: 'none' },
  '.cm-lintPoint': { display: 'none' },
  '.cm-line.has-problem, .cm-gutterElement.has-problem': { background: 'var(--failed-soft)' },
  '.cm-lineNumbers .has-problem, &.is-plain .cm-line.has-problem': { boxShadow: 'inset 2px 0 var(--failed-solid)' },
  '&.is-single .cm-line.has-problem': { background: 'none' },

  '.cm-tooltip': {
    background: 'var(--raised)',
    color: 'var(--text)',
    border: 'none',
    borderRadius: '8px',
    boxShadow: '0 0 0 1px var(--line-strong), 0 8px 24px -6px var(--overlay)',
    overflow: 'hidden',
    zIndex: '50',
  },
  '.cm-tooltip.cm-tooltip-hover': { font: '430 12px/16px var(--font-sans)', maxWidth: '360px' },
  '.cm-diagnostic': { border: 'none', padding: '6px 10px' },
  '.cm-diagnosticAction': { ...BUTTON, display: 'block', marginTop: '4px' },
  '.cm-tooltip.cm-tooltip-autocomplete': { padding: '4px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    ...FONT,
    font: '420 12px/18px var(--font-mono)',
    maxHeight: '248px',
    minWidth: '240px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    alignItems: 'center',
    gap: '16px',
    minHeight: '26px',
    padding: '0 8px',
    borderRadius: '4px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--hover)', color: 'var(--text)' },
  '.cm-completionLabel': { flex: 'none' },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--accent)' },
  '.cm-completionDetail': {
    marginLeft: 'auto',
    color: 'var(--text-3)',
    fontStyle: 'normal',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
  },

  '.cm-panels': { background: 'var(--surface)', color: 'var(--text)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': {
    font: '430 12px/16px var(--font-sans)',
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '6px',
    padding: '6px 36px 6px 8px',
  },
  '.cm-panel.cm-search br': { width: '100%', content: '""' },
  '.cm-panel.cm-search label': {
    font: 'inherit',
    display: 'inline-flex',
    alignItems: 'center',
    gap: '4px',
    margin: '0',
    color: 'var(--text-2)',
  },
  '.cm-panel.cm-search input[type=checkbox]': { accentColor: 'var(--accent-fill)', margin: '0' },
  '.cm-panel.cm-search [name=close]': {
    ...BUTTON,
    border: 'none',
    background: 'none',
    top: '6px',
    right: '6px',
    fontSize: '16px',
  },
  '.cm-textfield': {
    font: 'inherit',
    fontFamily: 'var(--font-mono)',
    color: 'inherit',
    background: 'var(--surface)',
    border: '1px solid var(--line-input)',
    borderRadius: '6px',
    padding: '4px 8px',
    margin: '0',
  },
  '.cm-button': { ...BUTTON, backgroundImage: 'none' },
  '.cm-button:active': { backgroundImage: 'none', background: 'var(--pressed)' },
  '.cm-button:hover': { background: 'var(--hover)' },
  '.cm-panel :focus-visible': { outline: '2px solid var(--focus)', outlineOffset: '1px' },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--code-key)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: tags.number, color: 'var(--code-number)' },
  { tag: [tags.atom, tags.bool, tags.null], color: 'var(--code-atom)' },
  { tag: tags.keyword, color: 'var(--code-key)' },
  { tag: tags.operator, color: 'var(--text-2)' },
]);

export const editorTheme = [theme, syntaxHighlighting(colours)];
