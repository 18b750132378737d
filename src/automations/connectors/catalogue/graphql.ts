/** Why a GraphQL service refuses, which it says beside the status 200. */
export function graphQlRefusal(body: unknown): string | undefined {
  const { errors } = (body ?? {}) as { errors?: unknown };
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  // `as`: the specification of GraphQL says so of an error (§7.1.2); anything else is shown as undefined.
  const { message } = (errors[0] ?? {}) as { message?: unknown };
  return String(message);
}
