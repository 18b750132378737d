/** The type that a stored trigger (JSON text) says; undefined without a trigger. */
export function triggerTypeOf(trigger: string | undefined): string | undefined {
  // `as`: it had its form when it was written.
  return trigger === undefined ? undefined : (JSON.parse(trigger) as { type: string }).type;
}
