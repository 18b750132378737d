/** A setting that cannot be used. Its message is one sentence that names the variable. */
export class ConfigError extends Error {}
