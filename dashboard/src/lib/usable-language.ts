// A browser that was started with the locale C says `en-US@posix`, which Intl refuses. Libraries give it the language unasked.
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
}

export {};
