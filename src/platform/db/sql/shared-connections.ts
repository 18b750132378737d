/** SQL: whether an environment, such as `$1`, has the connection `c`, or the other environment of its app shares it. */
export const mayUseConnection = (
  environmentId: string,
): string => `(c.environment_id = ${environmentId} OR (c.shared AND EXISTS (
  SELECT FROM environments owner JOIN environments own ON own.app_id = owner.app_id
  WHERE owner.id = c.environment_id AND own.id = ${environmentId})))`;
