/** Does nothing: a fresh worker's first Temporal workflow takes 1.2 s, and this is that first one. */
export async function warmUp(): Promise<void> {}
