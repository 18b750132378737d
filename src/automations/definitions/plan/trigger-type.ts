/** The type in a stored trigger (JSON text); undefined without a trigger. */
export function triggerTypeOf(trigger: string | undefined): string | undefined {
  // `as`: its form was checked when it was written.
  return trigger === undefined ? undefined : (JSON.parse(trigger) as { type: string }).type;
}
