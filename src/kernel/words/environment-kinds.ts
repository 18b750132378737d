/** The two environments of an app (spec §5): the API key's prefix names one of them. */
export const ENVIRONMENT_KINDS = ['live', 'test'] as const;
export type EnvironmentKind = (typeof ENVIRONMENT_KINDS)[number];

/** The other environment of the same app. */
export const otherThan = (kind: EnvironmentKind): EnvironmentKind => (kind === 'live' ? 'test' : 'live');
