/** Returns the size of a text in UTF-8: `126 B`, `3.8 KB`, `1.2 MB` (decimal). */
export function textSize(text: string): string {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 999_950 ? `${(bytes / 1_000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
