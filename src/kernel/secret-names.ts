/** A name of a secret of workflows. */
export const SECRET_NAME = /^[A-Z][A-Z0-9_]{0,63}$/;
