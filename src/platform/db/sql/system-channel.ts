/** SQL: the system channel of an environment; `systemChannelId` says the same in TypeScript, and a test compares them. */
export const systemChannel = (environmentId: string): string => `('chn' || substr(${environmentId}, 4))`;
