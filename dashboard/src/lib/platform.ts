/** Whether the user's keyboard has ⌘, which is used there as Ctrl is elsewhere. */
const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** The modifier of a shortcut, written before the key: `⌘K`, `Ctrl K`. */
export const modifier = isApple ? '⌘' : 'Ctrl ';
