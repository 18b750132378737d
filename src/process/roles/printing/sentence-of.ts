/** One sentence for a person; its causes for whoever looks further. */
export function sentenceOf(failure: unknown): string {
  const causes: string[] = [];
  for (let at: unknown = failure; at instanceof Error; at = at.cause) causes.push(at.message);
  return causes.join('\n  because: ') || String(failure);
}
