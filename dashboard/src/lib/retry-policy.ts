/** The numbers of a retry policy, in the order of their fields. */
export const POLICY_NUMBERS = ['maxRetries', 'initialDelay', 'maxDelay', 'backoffMultiplier'] as const;
type Policy = Record<(typeof POLICY_NUMBERS)[number], number>;
const DELAYS: readonly string[] = ['initialDelay', 'maxDelay'];

/** Returns the policy among the fields of a form. */
export const policyAmong = ({ maxRetries, initialDelay, maxDelay, backoffMultiplier }: Policy): Policy => ({
  maxRetries,
  initialDelay,
  maxDelay,
  backoffMultiplier,
});

/**
 * Returns the change to a policy in which `written` was edited, or undefined if nothing was. Both delays are sent
 * together: given only one, the service silently adjusts the other to fit.
 */
export function changedPolicy(written: Partial<Policy>, values: Policy): Partial<Policy> | undefined {
  const isChanged = (name: keyof Policy): boolean => written[name] !== undefined;
  const isSent = (name: keyof Policy): boolean =>
    isChanged(name) || (DELAYS.includes(name) && (isChanged('initialDelay') || isChanged('maxDelay')));
  const sent = POLICY_NUMBERS.filter(isSent);
  return sent.length === 0 ? undefined : Object.fromEntries(sent.map((name) => [name, values[name]]));
}
