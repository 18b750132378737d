// A browser started with the locale C reports `en-US@posix`, which Intl rejects. Libraries pass the browser's language
// to Intl unasked.
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
}

export {};
