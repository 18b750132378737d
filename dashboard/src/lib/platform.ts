/** Whether the reader's keyboard has ⌘, which does there what Ctrl does elsewhere. */
const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** In front of the other key of a shortcut: `⌘K`, `Ctrl K`. */
export const modifier = isApple ? '⌘' : 'Ctrl ';
