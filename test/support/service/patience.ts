// On an overloaded machine a connection takes longer than the 5 s after which a request is answered with UNAVAILABLE.
export const PATIENT = { connectWithinMs: 30_000 };
