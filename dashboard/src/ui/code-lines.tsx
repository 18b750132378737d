import { CopyButton } from './copy.tsx';
import { Box, BoxHead } from './layout.tsx';

/** A few lines for a shell or a program, with a copy button. */
export function CodeLines({ text, title, note }: { text: string; title: string; note?: string }) {
  return (
    <Box>
      <BoxHead title={title} note={note} end={<CopyButton text={text} label={`Copy ${title}`} />} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard (WCAG 2.1.1) */}
      <pre
        tabIndex={0}
        aria-label={title}
        role="region"
        className="max-h-80 overflow-auto bg-sunken px-3 py-2 whitespace-pre-wrap [overflow-wrap:anywhere]"
      >
        {text}
      </pre>
    </Box>
  );
}
